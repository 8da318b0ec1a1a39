create or replace function jobrunner.abandon_pass(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_sync_token text
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Gives up the pass in progress, of which nothing could be read: the next one begins where this one did, at
-- in_sync_token if its position outlives it. What a complete pass would have moved stays, and a request it was to
-- fulfil is open again. Called after the page's own statement in its transaction. Returns true.
begin
  update jobrunner.checkpoints as k
  set pass_kind = null,
    pass_started_at = null,
    pass_since = null,
    cursor = null,
    sync_token = in_sync_token,
    partial_watermark = null,
    pass_is_whole = true,
    pass_unreadable = false,
    pass_probe = null,
    full_begun = k.full_ended
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity;
  return true;
end
$$;
comment on function jobrunner.abandon_pass is 'Gives up a pass of which nothing could be read. Not for callers: runs.';
