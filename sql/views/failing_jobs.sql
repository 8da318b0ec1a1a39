create or replace view jobrunner.failing_jobs as
select t.name as tenant, u.key as user_key, j.name as job, j.state, j.last_error_kind as error_kind,
  j.last_error as error, j.last_error_at, j.consecutive_failures, j.due_at as next_try_at, j.last_success_at
from jobrunner.jobs as j
join jobrunner.users as u on u.id = j.user_id
join jobrunner.tenants as t on t.id = j.tenant_id
where j.last_error_kind is not null
order by j.consecutive_failures desc, j.last_error_at desc;
comment on view jobrunner.failing_jobs is 'What is failing, and why? Jobs whose last error no complete run has cleared.';
comment on column jobrunner.failing_jobs.tenant is 'Name of the tenant.';
comment on column jobrunner.failing_jobs.user_key is 'Key of the user.';
comment on column jobrunner.failing_jobs.job is 'Name of the job.';
comment on column jobrunner.failing_jobs.state is 'Its state; needs_reauth waits for a new secret.';
comment on column jobrunner.failing_jobs.error_kind is 'Kind of the last error.';
comment on column jobrunner.failing_jobs.error is 'Text of the last error.';
comment on column jobrunner.failing_jobs.last_error_at is 'When it happened.';
comment on column jobrunner.failing_jobs.consecutive_failures is 'Failures in a row; 0 for a deferral.';
comment on column jobrunner.failing_jobs.next_try_at is 'When it is due again.';
comment on column jobrunner.failing_jobs.last_success_at is 'When it last was complete.';
