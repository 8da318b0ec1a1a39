create or replace view jobrunner.counted_freshness as
select f.job_name as job, t.name as tenant, f.users, f.fresh, f.never,
  round(100.0 * f.fresh / f.users, 2) as fresh_percent, j.every, now() - f.counted_at as counted_ago, d.day
from jobrunner.freshness_counts as f
join jobrunner.job_files as j on j.name = f.job_name
left join jobrunner.tenants as t on t.id = f.tenant_id
left join (
  select h.subject, h.detail,
    jsonb_object_agg(
      (extract(epoch from date_bin('15 minutes', now(), '2000-01-01 00:00:00+00') - h.at) / 900)::integer, h.value
    ) as day
  from jobrunner.history_counts as h
  where h.measure = 'fresh_percent' and h.at > now() - interval '1 day'
  group by h.subject, h.detail
) as d on d.subject = f.job_name and d.detail = coalesce(t.name, '')
where f.counted_at is not null and f.users > 0 and (f.tenant_id = 0 or t.id is not null)
order by f.job_name, f.tenant_id <> 0, f.fresh::double precision / f.users, t.name;
comment on view jobrunner.counted_freshness is 'How fresh is the data of each job? Of all users, and of the ten tenants in which most are stale, as it was last counted.';
comment on column jobrunner.counted_freshness.job is 'The job.';
comment on column jobrunner.counted_freshness.tenant is 'Name of the tenant; null: all tenants together.';
comment on column jobrunner.counted_freshness.users is 'Users that have it.';
comment on column jobrunner.counted_freshness.fresh is 'Of those, complete within the last period.';
comment on column jobrunner.counted_freshness.never is 'Of those, never complete.';
comment on column jobrunner.counted_freshness.fresh_percent is 'The fresh ones as a share.';
comment on column jobrunner.counted_freshness.every is 'The period of the job file.';
comment on column jobrunner.counted_freshness.counted_ago is 'Age of the numbers.';
comment on column jobrunner.counted_freshness.day is 'The share in the last day: quarters of an hour ago, and percent; null: none was kept.';
