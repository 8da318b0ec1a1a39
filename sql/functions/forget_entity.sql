create or replace function jobrunner.forget_entity(
  in_job text,
  in_entity text
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Forgets how far every user's entity has come and makes its jobs due, because its table was made anew. A pass in
-- progress can't write any more. Returns how many checkpoints. Not for callers: migrate; operators have reset_jobs.
declare
  v_count integer;
begin
  perform from jobrunner.jobs as j where j.name = in_job order by j.user_id for no key update;
  update jobrunner.checkpoints as k
  set generation = k.generation + 1,
    full_asked = k.full_asked + 1,
    pass_kind = null,
    pass_started_at = null,
    pass_since = null,
    page_number = 0,
    cursor = null,
    sync_token = null,
    partial_watermark = null,
    watermark = null,
    last_synced_at = null,
    pass_is_whole = true,
    last_full_at = null,
    pass_probe = null,
    validator = null,
    probe = null
  where k.job_name = in_job and split_part(k.entity, '#', 1) = in_entity;
  get diagnostics v_count = row_count;
  update jobrunner.jobs as j
  set due_at = now(), untriggered_due_at = null
  where j.name = in_job and j.worker_id is null and j.due_at > now()
    and (j.deferred_until is null or j.deferred_until <= now()) and j.quarantined_at is null;
  perform jobrunner.wake_workers(now());
  return v_count;
end
$$;
comment on function jobrunner.forget_entity is 'Forgets how far an entity has come, for all users.';
