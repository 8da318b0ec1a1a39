create or replace function jobrunner.forget_checkpoints(
  in_user_id bigint,
  in_name text,
  in_entities text[],
  in_keeps_waiting boolean
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Deletes the checkpoints of items that are gone, or of an entity as a whole, which has a checkpoint for each item
-- since. in_keeps_waiting: but for those of which rows still wait for a second look, since they were lacking once only.
-- Returns how many. Called after hold_job. Not for callers: runs.
declare
  v_gone text[];
begin
  with gone as (
    delete from jobrunner.checkpoints as k
    where k.user_id = in_user_id and k.job_name = in_name and k.entity = any (in_entities)
      and (not in_keeps_waiting or not exists (
        select from jobrunner.seen_pages as p
        where p.user_id = k.user_id and p.job_name = k.job_name and p.entity = k.entity and p.keys <> '{}'
      ))
    returning k.entity
  )
  select coalesce(array_agg(g.entity), '{}') into v_gone from gone as g;
  delete from jobrunner.seen_pages as p
  where p.user_id = in_user_id and p.job_name = in_name and p.entity = any (v_gone);
  return cardinality(v_gone);
end
$$;
comment on function jobrunner.forget_checkpoints is 'Deletes the checkpoints of items that are gone. Not for callers: runs.';
