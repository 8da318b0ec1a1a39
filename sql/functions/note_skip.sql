create or replace function jobrunner.note_skip(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_fence bigint,
  in_reason text
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Notes that the source has nothing to read of an entity for this user: the pass is over, a pass that was in progress
-- is given up, and what was reached before stays. A full pass that somebody asked for stays asked for. In a
-- transaction of hold_job. Returns true. Not for callers: runs.
declare
  v_counters jobrunner.counters := jobrunner.make_counters(skipped => 1);
begin
  insert into jobrunner.checkpoints as k (
    user_id, job_name, entity, tenant_id, run_fence, counters, skipped_since, skip_reason
  )
  select in_user_id, in_name, in_entity, j.tenant_id, in_fence, v_counters, now(), left(in_reason, 1000)
  from jobrunner.jobs as j
  where j.user_id = in_user_id and j.name = in_name
  on conflict (user_id, job_name, entity) do update
  set skipped_since = coalesce(k.skipped_since, excluded.skipped_since),
    skip_reason = excluded.skip_reason,
    pass_kind = null,
    pass_started_at = null,
    pass_since = null,
    pass_probe = null,
    pass_is_whole = true,
    pass_proves_absence = true,
    pass_unreadable = false,
    cursor = null,
    partial_watermark = null,
    full_begun = least(k.full_begun, k.full_ended),
    consecutive_failures = 0,
    last_error_kind = null,
    last_error = null,
    last_error_at = null,
    run_fence = in_fence,
    counters = jobrunner.counted_on(k, in_fence, v_counters);
  return true;
end
$$;
comment on function jobrunner.note_skip is 'Notes that the source has nothing to read of an entity. Not for callers: runs.';
