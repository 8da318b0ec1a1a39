create or replace view jobrunner.job_overview as
select t.name as tenant, u.key as user_key, j.name as job,
  case when j.state = 'waiting' and j.due_at <= now() then 'due' else j.state end as state,
  j.due_at, j.last_outcome, j.last_run_at, j.last_success_at, j.consecutive_failures,
  j.last_error_kind as error_kind, j.last_error as error, j.worker_id, j.fence as run,
  j.tenant_id, j.user_id
from jobrunner.jobs as j
join jobrunner.users as u on u.id = j.user_id
join jobrunner.tenants as t on t.id = j.tenant_id;
comment on view jobrunner.job_overview is 'How is each job? With the state word that depends on the clock.';
comment on column jobrunner.job_overview.tenant is 'Name of the tenant.';
comment on column jobrunner.job_overview.user_key is 'Key of the user.';
comment on column jobrunner.job_overview.job is 'Name of the job.';
comment on column jobrunner.job_overview.state is 'due, waiting, running, paused, quarantined or needs_reauth.';
comment on column jobrunner.job_overview.due_at is 'When it is due.';
comment on column jobrunner.job_overview.last_outcome is 'How its last run ended.';
comment on column jobrunner.job_overview.last_run_at is 'When that was.';
comment on column jobrunner.job_overview.last_success_at is 'When it last was complete.';
comment on column jobrunner.job_overview.consecutive_failures is 'Failures in a row.';
comment on column jobrunner.job_overview.error_kind is 'Kind of the last error.';
comment on column jobrunner.job_overview.error is 'Text of the last error.';
comment on column jobrunner.job_overview.worker_id is 'The worker that runs it.';
comment on column jobrunner.job_overview.run is 'Its present or last run.';
comment on column jobrunner.job_overview.tenant_id is 'Number of the tenant: a filter by it is found in an index.';
comment on column jobrunner.job_overview.user_id is 'Number of the user: a filter by it is found in an index.';
