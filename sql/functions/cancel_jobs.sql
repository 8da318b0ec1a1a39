create or replace function jobrunner.cancel_jobs(
  in_tenant text,
  in_user text default null,
  in_job text default null
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Asks running jobs to stop; returns how many run. Their workers see it within a second, keep what is committed,
-- and the jobs go to the back of the line; pause them to keep them from starting again.
declare
  v_count integer := jobrunner.stop_jobs(in_tenant, in_user, in_job);
begin
  perform jobrunner.note_act('cancel_jobs', in_job, jsonb_build_object('jobs', v_count), in_tenant, in_user);
  return v_count;
end
$$;
comment on function jobrunner.cancel_jobs is 'Asks running jobs to stop; durable, the notification only speeds it up.';
