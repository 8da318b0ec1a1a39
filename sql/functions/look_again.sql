create or replace function jobrunner.look_again(
  in_file jobrunner.job_files
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- What follows for entities in trouble when their job file is another: what a person has changed is tried at once, so
-- that their jobs are due, and the first run of a worker that has the file looks again (StandingTroubles). Troubles of
-- entities that the file does not sync any more are over. A job that backs off, was put off or set aside waits as it
-- did.
-- Returns how many jobs are due. Not for callers: store_job_file.
declare
  v_count integer;
begin
  with troubled as materialized (
    select j.user_id, j.name, j.worker_id is not null as is_running
    from jobrunner.jobs as j
    where j.name = in_file.name
      and j.user_id in (select k.user_id from jobrunner.checkpoints as k where k.job_name = in_file.name
        and k.troubles is not null)
      and (j.worker_id is not null or j.consecutive_failures = 0 and j.quarantined_at is null
        and coalesce(j.deferred_until <= now(), true))
    order by j.user_id
    for no key update
  )
  update jobrunner.jobs as j
  set due_at = case when t.is_running then j.due_at else least(j.due_at, now()) end,
    untriggered_due_at = null,
    rerun_requested = j.rerun_requested or t.is_running
  from troubled as t
  where j.user_id = t.user_id and j.name = t.name;
  get diagnostics v_count = row_count;
  update jobrunner.checkpoints as k
  set troubles = null
  where k.job_name = in_file.name and k.troubles is not null and not exists (
    select
    from jsonb_array_elements(in_file.expanded -> 'entities') as e
    where e ->> 'entity' = split_part(k.entity, '#', 1) and e ->> 'enabled' is distinct from 'false'
  );
  -- Where nothing is sent any more no edit is refused.
  update jobrunner.checkpoints as k
  set troubles = nullif(k.troubles - 'edits_refused' - 'quota_exceeded', '{}')
  where k.job_name = in_file.name and k.troubles ?| '{edits_refused,quota_exceeded}' and not exists (
    select
    from jsonb_array_elements(in_file.expanded -> 'entities') as e
    where e ->> 'entity' = split_part(k.entity, '#', 1) and e ? 'push'
  );
  if v_count > 0 then
    perform jobrunner.wake_workers(now(), in_jobs => v_count);
  end if;
  return v_count;
end
$$;
comment on function jobrunner.look_again is 'Has what a person changed in a job file tried at once where an entity is in trouble. Not for callers: store_job_file.';
