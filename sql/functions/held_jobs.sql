create or replace function jobrunner.held_jobs() returns setof jobrunner.jobs
language plpgsql stable
set search_path = pg_catalog
as $$
-- The jobs that run now. A running job keeps the due_at it answers to, so while few are due jobs_due finds it; an index
-- on the worker would be written by every claim.
begin
  return query select j.* from jobrunner.jobs as j where j.due_at <= now() and j.worker_id is not null;
end
$$;
comment on function jobrunner.held_jobs is 'Jobs that run now, found by when they were due.';
