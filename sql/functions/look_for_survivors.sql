create or replace function jobrunner.look_for_survivors(
  in_user_id bigint,
  in_name text,
  in_entity text
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- A deletion of the source's has taken a row away whose key another record may have: where that was seen before, a full
-- pass is asked for, which shows the one that lives. In the page's transaction, after hold_job. Returns whether one is
-- asked for now.
-- Not for callers: pages.
begin
  update jobrunner.checkpoints as k
  set full_asked = k.full_asked + 1
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity
    and k.has_shared_keys and k.full_asked = k.full_begun and k.full_asked < 2147483647;
  return found;
end
$$;
comment on function jobrunner.look_for_survivors is 'Asks for a full pass where a deleted record may have shared its key. Not for callers: pages.';
