create or replace function jobrunner.hasten_push(
  in_user_id bigint,
  in_table text
) returns boolean
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Makes the job that pushes a table due when its push.debounce is over, once however many edits come; a job that
-- runs gets one more run. Returns whether that changed anything: not for a table without debounce, while the source
-- asked for patience, or while a backoff runs.
-- Locks the job in any case, before the rows that its caller writes, as a page does.
-- Not for callers: push_soon, what writes rows, and a merge that an operator asks for.
declare
  v_job text;
  v_debounce interval;
  v_due_at timestamptz;
begin
  select s.writable ->> 'job', (s.writable ->> 'debounce_ms')::bigint * interval '1 ms' into v_job, v_debounce
  from jobrunner.synced_tables as s where s.name = in_table;
  if v_debounce is null then
    perform from jobrunner.jobs as j where j.user_id = in_user_id and j.name = v_job for no key update;
    return false;
  end if;
  update jobrunner.jobs as j
  set due_at = case when j.worker_id is null and locked.may_hasten then least(j.due_at, now() + v_debounce)
    else j.due_at end,
    rerun_requested = j.worker_id is not null,
    priority = case when j.worker_id is null then greatest(j.priority, 0) else j.priority end,
    -- The run that sends the edit may not be one of another entity alone.
    rerun_entity = null,
    entity_requested = case when j.worker_id is not null then j.entity_requested end
  from (
    select k.user_id, k.name,
      k.consecutive_failures = 0 and k.quarantined_at is null and coalesce(k.deferred_until <= now(), true)
        as may_hasten
    from jobrunner.jobs as k
    where k.user_id = in_user_id and k.name = v_job
    for no key update
  ) as locked
  where j.user_id = locked.user_id and j.name = locked.name
    and case
      when j.worker_id is not null then not j.rerun_requested or j.rerun_entity is not null
      else j.entity_requested is not null or locked.may_hasten and j.due_at > now() + v_debounce
    end
  returning j.due_at into v_due_at;
  if found then
    perform jobrunner.postpone_slowing(j) from jobrunner.jobs as j where j.user_id = in_user_id and j.name = v_job;
    -- Also what was due before: its row has moved from where workers remember it.
    perform jobrunner.wake_workers(least(v_due_at, now()), in_jobs => 1, in_user_id => in_user_id);
    return true;
  end if;
  return false;
end
$$;
comment on function jobrunner.hasten_push is 'Makes the job that sends a table''s edits due. Not for callers: push_soon, and what writes rows.';
