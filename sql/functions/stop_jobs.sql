create or replace function jobrunner.stop_jobs(
  in_tenant text,
  in_user text,
  in_job text
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Asks running jobs to stop; returns how many run. Their workers see it within a second, keep what is committed,
-- and the jobs go to the back of the line. Not for callers: cancel_jobs, pause_jobs.
declare
  v_count integer;
begin
  -- A statement of its own waits for claims under way; the next one sees what they took.
  perform from jobrunner.jobs_named(in_tenant, in_user, in_job);
  update jobrunner.jobs as j
  set cancel_requested_at = coalesce(j.cancel_requested_at, now())
  from jobrunner.jobs_named(in_tenant, in_user, in_job) as named
  where j.user_id = named.user_id and j.name = named.name and j.worker_id is not null;
  get diagnostics v_count = row_count;
  if v_count > 0 then
    perform jobrunner.notify('jobrunner_stop', '', in_fullest => 0.01);
  end if;
  return v_count;
end
$$;
comment on function jobrunner.stop_jobs is 'Asks running jobs to stop. Not for callers: cancel_jobs, pause_jobs.';
