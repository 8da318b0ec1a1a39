create or replace function jobrunner.resume_job_file(
  in_job text
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Ends a pause of a job file; returns how many jobs go on. A job whose user is paused stays parked. Raises JR012.
-- Locks the file, then its jobs by user.
declare
  v_count integer;
begin
  update jobrunner.job_files as f set paused_at = null where f.name = in_job;
  if not found then
    raise exception 'no job file is named ''%''', in_job using errcode = 'JR012';
  end if;
  perform from jobrunner.jobs as j where j.name = in_job and j.paused_with_file order by j.user_id for no key update;
  with resumed as (
    update jobrunner.jobs as j
    set paused_at = u.paused_at,
      paused_with_user = u.paused_at is not null,
      paused_with_file = false,
      cancel_requested_at = case when u.paused_at is not null then j.cancel_requested_at end,
      due_at = case when j.worker_id is null then greatest(j.due_at, now()) else j.due_at end
    from jobrunner.users as u
    where u.id = j.user_id and j.name = in_job and j.paused_with_file
    returning j.paused_at
  )
  select count(*) filter (where r.paused_at is null) into v_count from resumed as r;
  if v_count > 0 then
    perform jobrunner.wake_workers(now(), in_jobs => v_count);
  end if;
  perform jobrunner.note_act('resume_job_file', in_job, jsonb_build_object('jobs', v_count));
  return v_count;
end
$$;
comment on function jobrunner.resume_job_file is 'Ends a pause of a job file.';
