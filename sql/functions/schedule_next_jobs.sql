create or replace function jobrunner.schedule_next_jobs(
  in_name text,
  in_limit integer default 1000
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Brings the next standing jobs of a stored job file to its schedule, a transaction for each in_limit of them, so that
-- nobody waits long for one. Returns how many there were; null: all go by it. Not for callers: jobrunner migrate.
declare
  v_after bigint;
  v_piece record;
begin
  -- Where nothing is left to do no lock is asked for: whoever adds a user keeps the file's row for share.
  select f.unscheduled_after_user_id into v_after from jobrunner.job_files as f
    where f.name = in_name and f.unscheduled_after_user_id is not null for no key update;
  if v_after is null then
    return null;
  end if;
  select * into v_piece from jobrunner.schedule_jobs(in_name, null, null, v_after, in_limit);
  update jobrunner.job_files as f set unscheduled_after_user_id = v_piece.last_user_id where f.name = in_name;
  return v_piece.changed_count;
end
$$;
comment on function jobrunner.schedule_next_jobs is 'Brings some more standing jobs to their file''s schedule. Not for callers.';
