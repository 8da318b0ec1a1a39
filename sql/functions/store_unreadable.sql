create or replace function jobrunner.store_unreadable(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_unreadable boolean
) returns boolean
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Keeps whether any record of the pass in progress could be read, for the run that goes on with it; called after the page's
-- own statement in its transaction, only where that changes. Returns true.
begin
  update jobrunner.checkpoints as k
  set pass_unreadable = in_unreadable
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity;
  return true;
end
$$;
comment on function jobrunner.store_unreadable is 'Keeps whether any record of a pass could be read. Not for callers: runs.';
