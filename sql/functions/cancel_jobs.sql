create or replace function jobrunner.cancel_jobs(
  in_tenant text,
  in_user text default null,
  in_job text default null
) returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Asks running jobs to stop; returns how many run. Their workers see it within a second, keep what is committed,
-- and the jobs go to the back of the line; pause them to keep them from starting again.
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
comment on function jobrunner.cancel_jobs is 'Asks running jobs to stop; durable, the notification only speeds it up.';
