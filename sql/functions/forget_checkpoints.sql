create or replace function jobrunner.forget_checkpoints(
  in_user_id bigint,
  in_name text,
  in_entities text[]
) returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Deletes the checkpoints of items that are gone, but for those of which rows still wait for a second look: a row that
-- was lacking once only. So does that of an entity as a whole, which has a checkpoint for each item since.
-- Returns how many. Called after hold_job. Not for callers: runs.
declare
  v_gone text[];
begin
  with gone as (
    delete from jobrunner.checkpoints as k
    where k.user_id = in_user_id and k.job_name = in_name and k.entity = any (in_entities)
      and (strpos(k.entity, '#') = 0 or not exists (
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
