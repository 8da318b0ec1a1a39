create or replace view jobrunner.user_overview as
select t.name as tenant, u.key as user_key, u.paused_at, u.created_at, j.job_count, j.failing_count, j.running_count,
  j.last_success_at, j.due_at, u.tenant_id, u.id as user_id
from jobrunner.users as u
join jobrunner.tenants as t on t.id = u.tenant_id
cross join lateral (
  select count(*) as job_count, count(*) filter (where j.last_error_kind is not null) as failing_count,
    count(*) filter (where j.worker_id is not null) as running_count,
    case when bool_and(j.last_success_at is not null) then min(j.last_success_at) end as last_success_at,
    min(j.due_at) as due_at
  from jobrunner.jobs as j
  where j.user_id = u.id
) as j
where not u.stands_for_tenant;
comment on view jobrunner.user_overview is 'How is each user? Filter by tenant, order by user_key and limit.';
comment on column jobrunner.user_overview.tenant is 'Name of the tenant.';
comment on column jobrunner.user_overview.user_key is 'Key of the user.';
comment on column jobrunner.user_overview.paused_at is 'Since when the user is paused; null: he is not.';
comment on column jobrunner.user_overview.created_at is 'When he was added.';
comment on column jobrunner.user_overview.job_count is 'His jobs.';
comment on column jobrunner.user_overview.failing_count is 'Of those, the ones with an error that no complete run has cleared.';
comment on column jobrunner.user_overview.running_count is 'Of those, the ones that run.';
comment on column jobrunner.user_overview.last_success_at is 'Since when all of them were complete at least once: when the one that waits longest for it last was; null: one never was.';
comment on column jobrunner.user_overview.due_at is 'When the next one is due.';
comment on column jobrunner.user_overview.tenant_id is 'Number of the tenant: a filter by it is found in an index.';
comment on column jobrunner.user_overview.user_id is 'Number of the user: a filter by it is found in an index.';
