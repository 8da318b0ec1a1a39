create or replace function jobrunner.store_unread_values(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_unread jsonb
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Notes which values a pass of an entity could not read so far: {field: {count, example, read_elsewhere}}; {}: none any
-- more. Called in the page's transaction. Returns true.
begin
  update jobrunner.checkpoints as k
  set unread = nullif(in_unread, '{}')
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity;
  return true;
end
$$;
comment on function jobrunner.store_unread_values is 'Notes which values of an entity could not be read. Not for callers: runs.';
