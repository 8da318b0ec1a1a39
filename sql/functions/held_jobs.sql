create or replace function jobrunner.held_jobs() returns setof jobrunner.jobs
language plpgsql stable parallel restricted
set search_path = pg_catalog
as $$
-- The jobs that run now. A running job keeps the due_at it answers to, which is its claimable_at, so while few are due jobs_due
-- finds it; an index on the worker would be written by every claim.
-- After the clock was set back, runs that were claimed before it answer to times that have yet to come; two minutes
-- cover the claims since reconcile_jobs, once a minute, last noted the time.
-- Restricted, so that jobs_in_trouble, which asks it, may compare all users with all jobs in parallel.
declare
  -- Not now(): a job may have become due, and been claimed, since the caller's transaction began.
  v_until timestamptz := clock_timestamp();
begin
  select case when c.latest_at > now() then c.latest_at + interval '2 minutes' else v_until end into v_until
  from jobrunner.chores as c where c.name = 'reconcile';
  return query select j.* from jobrunner.jobs as j where j.claimable_at <= v_until and j.worker_id is not null;
end
$$;
comment on function jobrunner.held_jobs is 'Jobs that run now, found by when they were due.';
