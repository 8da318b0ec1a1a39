create or replace view jobrunner.held as
select c.worker_id, j.user_id, j.name, j.tenant_id, j.fence, j.started_at, j.deadline_at, j.cancel_requested_at
from jobrunner.claims as c
cross join lateral unnest(c.user_ids) with ordinality as u (id, number)
join jobrunner.jobs as j on j.user_id = u.id and j.fence = c.first_fence + u.number - 1 and j.worker_id = c.worker_id;
comment on view jobrunner.held is 'What held_jobs finds, for other views: with the rights of its owner, so that whoever may look at those need not read jobs.';
comment on column jobrunner.held.worker_id is 'The worker that runs the job.';
comment on column jobrunner.held.user_id is 'Whose job.';
comment on column jobrunner.held.name is 'The job.';
comment on column jobrunner.held.tenant_id is 'The user''s tenant.';
comment on column jobrunner.held.fence is 'Number of the run.';
comment on column jobrunner.held.started_at is 'When it was claimed.';
comment on column jobrunner.held.deadline_at is 'When it must yield.';
comment on column jobrunner.held.cancel_requested_at is 'When it was asked to stop; null: it was not.';
