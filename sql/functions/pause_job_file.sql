create or replace function jobrunner.pause_job_file(
  in_job text
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Stops one job file for everybody, also for users who are added later: parks its jobs, and asks those that run to
-- stop, with what is committed kept. Returns how many it parked; what is paused already stays as it is. Raises JR012.
-- Locks the file, then its jobs by user.
declare
  v_count integer;
begin
  update jobrunner.job_files as f set paused_at = coalesce(f.paused_at, now()) where f.name = in_job;
  if not found then
    raise exception 'no job file is named ''%''', in_job using errcode = 'JR012';
  end if;
  -- A statement of its own waits for claims under way; the next one sees what they took.
  perform from jobrunner.jobs as j where j.name = in_job order by j.user_id for no key update;
  update jobrunner.jobs as j
  set paused_at = now(),
    paused_with_file = true,
    cancel_requested_at = case when j.worker_id is not null then coalesce(j.cancel_requested_at, now()) end
  where j.name = in_job and j.paused_at is null;
  get diagnostics v_count = row_count;
  perform jobrunner.notify('jobrunner_stop', '', in_fullest => 0.01);
  perform jobrunner.note_act('pause_job_file', in_job, jsonb_build_object('jobs', v_count));
  return v_count;
end
$$;
comment on function jobrunner.pause_job_file is 'Stops one job file for everybody.';
