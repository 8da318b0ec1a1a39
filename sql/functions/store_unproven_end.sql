create or replace function jobrunner.store_unproven_end(
  in_user_id bigint,
  in_name text,
  in_entity text
) returns boolean
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Says at the checkpoint that the pass which has just ended may have ended too early; called after the page's own statement in
-- its transaction. Returns true.
begin
  update jobrunner.checkpoints as k
  set last_error_kind = 'end_unproven',
    last_error = 'the first page looks full and names no next page, so that the list may go on: nothing was deleted',
    last_error_at = now()
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity;
  return true;
end
$$;
comment on function jobrunner.store_unproven_end is 'Says that a pass may have ended too early. Not for callers: runs.';
