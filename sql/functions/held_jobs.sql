create or replace function jobrunner.held_jobs() returns setof jobrunner.jobs
language sql stable
as $$
-- The jobs that run now, found by the batches in which workers claimed them. Without a set clause, so that PostgreSQL
-- writes it into its caller, and a condition on worker_id there reads that worker's batches alone.
select j.*
from jobrunner.claims as c
cross join lateral unnest(c.user_ids) with ordinality as u (id, number)
join jobrunner.jobs as j on j.user_id = u.id and j.fence = c.first_fence + u.number - 1 and j.worker_id = c.worker_id
$$;
comment on function jobrunner.held_jobs is 'Jobs that run now.';
