create or replace view jobrunner.tenant_freshness as
select t.name as tenant, j.name as job, count(*) as user_count,
  count(*) filter (where j.last_success_at >= now() - j.every) as fresh_count,
  round(
    100.0 * count(*) filter (where j.last_success_at >= now() - j.every) / count(*), 2
  ) as fresh_percent,
  percentile_disc(0.5) within group (order by now() - j.last_success_at) as staleness_p50,
  percentile_disc(0.99) within group (order by now() - j.last_success_at) as staleness_p99,
  count(*) filter (where j.last_success_at is null) as never_count,
  count(*) filter (where j.consecutive_failures > 0) as failing_count
from jobrunner.jobs as j
join jobrunner.tenants as t on t.id = j.tenant_id
group by t.name, j.name;
comment on view jobrunner.tenant_freshness is 'How fresh is each tenant''s data? Share of users within their period, and how old the rest is. Reads every job once.';
comment on column jobrunner.tenant_freshness.tenant is 'Name of the tenant.';
comment on column jobrunner.tenant_freshness.job is 'Name of the job.';
comment on column jobrunner.tenant_freshness.user_count is 'Users with this job.';
comment on column jobrunner.tenant_freshness.fresh_count is 'Of those, complete within the last period.';
comment on column jobrunner.tenant_freshness.fresh_percent is 'The same as a share.';
comment on column jobrunner.tenant_freshness.staleness_p50 is 'Half the users'' last complete run is no older.';
comment on column jobrunner.tenant_freshness.staleness_p99 is '99 of 100 users'' last complete run is no older.';
comment on column jobrunner.tenant_freshness.never_count is 'Users that never had a complete run; not in the percentiles.';
comment on column jobrunner.tenant_freshness.failing_count is 'Users whose last run failed.';
