create or replace view jobrunner.late_jobs as
select t.name as tenant, u.key as user_key, j.name as job, now() - j.due_at as late_by, j.due_at,
  j.priority = 1 as asked,
  j.consecutive_failures, j.last_outcome, j.tenant_id, j.user_id
from jobrunner.jobs as j
join jobrunner.users as u on u.id = j.user_id
join jobrunner.tenants as t on t.id = j.tenant_id
where j.claimable_at < now() and j.state = 'waiting' and t.paused_at is null
order by j.claimable_at, j.user_id;
comment on view jobrunner.late_jobs is 'What is late? Due jobs that nobody has claimed yet, the latest first.';
comment on column jobrunner.late_jobs.tenant is 'Name of the tenant.';
comment on column jobrunner.late_jobs.user_key is 'Key of the user.';
comment on column jobrunner.late_jobs.job is 'Name of the job.';
comment on column jobrunner.late_jobs.late_by is 'How long it has been due.';
comment on column jobrunner.late_jobs.due_at is 'When it became due.';
comment on column jobrunner.late_jobs.asked is 'A person or application asked for it.';
comment on column jobrunner.late_jobs.consecutive_failures is 'Failures in a row before.';
comment on column jobrunner.late_jobs.last_outcome is 'How its last run ended.';
comment on column jobrunner.late_jobs.tenant_id is 'Number of the tenant: a filter by it is found in an index.';
comment on column jobrunner.late_jobs.user_id is 'Number of the user: a filter by it is found in an index.';
