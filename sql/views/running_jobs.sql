create or replace view jobrunner.running_jobs as
select j.worker_id, w.host, w.pid, t.name as tenant, u.key as user_key, j.name as job, j.fence as run,
  now() - j.started_at as running_for, j.deadline_at - now() as yields_in, now() - w.heartbeat_at as silent_for,
  j.cancel_requested_at is not null as stopping
from jobrunner.held as j
join jobrunner.users as u on u.id = j.user_id
join jobrunner.tenants as t on t.id = j.tenant_id
left join jobrunner.workers as w on w.id = j.worker_id
order by j.started_at;
comment on view jobrunner.running_jobs is 'What runs where?';
comment on column jobrunner.running_jobs.worker_id is 'Number of the worker.';
comment on column jobrunner.running_jobs.host is 'Its machine or container.';
comment on column jobrunner.running_jobs.pid is 'Its process there.';
comment on column jobrunner.running_jobs.tenant is 'Name of the tenant.';
comment on column jobrunner.running_jobs.user_key is 'Key of the user.';
comment on column jobrunner.running_jobs.job is 'Name of the job.';
comment on column jobrunner.running_jobs.run is 'Number of the run; log lines carry it.';
comment on column jobrunner.running_jobs.running_for is 'Since its claim.';
comment on column jobrunner.running_jobs.yields_in is 'Until its deadline.';
comment on column jobrunner.running_jobs.silent_for is 'Since the worker''s last heartbeat.';
comment on column jobrunner.running_jobs.stopping is 'It was asked to stop.';
