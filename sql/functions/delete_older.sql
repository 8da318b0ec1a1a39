create or replace function jobrunner.delete_older(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_fence bigint,
  in_table text,
  in_column text,
  in_before timestamptz
) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Deletes a user's rows that have become too old, and counts them in the entity's checkpoint. An unsent edit stays.
-- Returns how many. Called in a transaction of its own, after hold_job. Not for callers: runs.
declare
  v_rows bigint;
  v_writes text;
begin
  v_writes := jobrunner.own_writes('on');
  execute format('delete from synced.%I as t where t.user_id = $1 and t.%I < $2 and t.synced', in_table, in_column)
  using in_user_id, in_before;
  get diagnostics v_rows = row_count;
  perform jobrunner.own_writes(v_writes);
  if v_rows > 0 then
    perform jobrunner.store_push_counters(in_user_id, in_name, in_entity, in_fence, 0, 0, v_rows);
  end if;
  return v_rows;
end
$$;
comment on function jobrunner.delete_older is 'Deletes a user''s rows that are too old. Not for callers: runs.';
