create or replace view jobrunner.user_story as
select t.name as tenant, u.key as user_key, r.job_name as job, r.id as run, r.outcome, r.started_at, r.ended_at,
  r.ended_at - r.started_at as took, r.started_at - r.scheduled_at as waited, r.error_kind, r.error,
  r.request_count as requests, (r.counters).*, r.entities, r.tenant_id, r.user_id
from jobrunner.runs as r
join jobrunner.users as u on u.id = r.user_id
join jobrunner.tenants as t on t.id = r.tenant_id;
comment on view jobrunner.user_story is 'What happened to one user? Filter by tenant and user_key, order by ended_at. Complete runs that found nothing new leave no row.';
comment on column jobrunner.user_story.tenant is 'Name of the tenant.';
comment on column jobrunner.user_story.user_key is 'Key of the user.';
comment on column jobrunner.user_story.job is 'Name of the job.';
comment on column jobrunner.user_story.run is 'Number of the run; log lines carry it.';
comment on column jobrunner.user_story.outcome is 'How it ended.';
comment on column jobrunner.user_story.started_at is 'When it was claimed.';
comment on column jobrunner.user_story.ended_at is 'When its outcome was written.';
comment on column jobrunner.user_story.took is 'How long it ran.';
comment on column jobrunner.user_story.waited is 'How long it was due before it was claimed.';
comment on column jobrunner.user_story.error_kind is 'Kind of failure or interruption.';
comment on column jobrunner.user_story.error is 'What happened.';
comment on column jobrunner.user_story.requests is 'Requests it sent.';
comment on column jobrunner.user_story.entities is 'All counters per entity.';
comment on column jobrunner.user_story.tenant_id is 'Number of the tenant: a filter by it is found in an index.';
comment on column jobrunner.user_story.user_id is 'Number of the user: a filter by it is found in an index.';
select jobrunner.describe_counters('jobrunner.user_story');
