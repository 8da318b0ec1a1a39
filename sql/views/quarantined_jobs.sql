create or replace view jobrunner.quarantined_jobs as
select t.name as tenant, u.key as user_key, j.name as job, j.quarantine_reason as reason, j.quarantined_at,
  j.due_at as until, j.crashes,
  j.stalled_runs
from jobrunner.jobs as j
join jobrunner.users as u on u.id = j.user_id
join jobrunner.tenants as t on t.id = j.tenant_id
where j.quarantined_at is not null
order by j.quarantined_at;
comment on view jobrunner.quarantined_jobs is 'What was set aside, and why? `jobrunner retry` lets it go on.';
comment on column jobrunner.quarantined_jobs.tenant is 'Name of the tenant.';
comment on column jobrunner.quarantined_jobs.user_key is 'Key of the user.';
comment on column jobrunner.quarantined_jobs.job is 'Name of the job.';
comment on column jobrunner.quarantined_jobs.reason is 'Why.';
comment on column jobrunner.quarantined_jobs.quarantined_at is 'Since when.';
comment on column jobrunner.quarantined_jobs.until is 'When it gets one more run.';
comment on column jobrunner.quarantined_jobs.crashes is 'Worker deaths in a row.';
comment on column jobrunner.quarantined_jobs.stalled_runs is 'Runs in a row without a page.';
