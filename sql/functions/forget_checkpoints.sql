create or replace function jobrunner.forget_checkpoints(
  in_user_id bigint,
  in_name text,
  in_entities text[]
) returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Deletes checkpoints that no pass goes on from any more: those of chunks of a list that is shorter now. Returns how
-- many. Called after hold_job. Not for callers: runs.
declare
  v_count integer;
begin
  delete from jobrunner.checkpoints as k
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = any (in_entities);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
comment on function jobrunner.forget_checkpoints is 'Deletes checkpoints of chunks that are gone. Not for callers: runs.';
