create or replace function jobrunner.slow_jobs() returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Gives the jobs for which nobody has asked for as long as their file says the file's slower period, from their next
-- tick on; returns how many, a thousand at most. A job that runs or is due, whose row workers may remember by its
-- place, or that a transaction holds is left to the next call.
declare
  v_count integer;
begin
  with over as materialized (
    select j.user_id, j.name
    from jobrunner.jobs as j
    where j.slows_at <= now() and j.worker_id is null and j.claimable_at > now()
    order by j.slows_at
    limit 1000
    for no key update skip locked
  )
  update jobrunner.jobs as j
  set slows_at = null,
    slowed_at = case when f.slow_every > j.every then now() end,
    every = greatest(j.every, f.slow_every),
    phase = case
      when f.slow_every > j.every then jobrunner.phase_of(j.user_id, j.name, f.slow_every, f.spread)
      else j.phase
    end
  from over as o
  join jobrunner.job_files as f on f.name = o.name
  where j.user_id = o.user_id and j.name = o.name;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
comment on function jobrunner.slow_jobs is 'Slows down jobs that nobody has asked for in a long time.';
