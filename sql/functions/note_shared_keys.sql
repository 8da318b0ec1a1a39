create or replace function jobrunner.note_shared_keys(
  in_user_id bigint,
  in_name text,
  in_entity text
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Notes that the source has shown two records with one key, whose row can be of one of them only. In the page's
-- transaction, after hold_job. Returns whether that was not known yet. Not for callers: pages.
begin
  update jobrunner.checkpoints as k
  set has_shared_keys = true
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity and not k.has_shared_keys;
  return found;
end
$$;
comment on function jobrunner.note_shared_keys is 'Notes that two records of the source have one key. Not for callers: pages.';
