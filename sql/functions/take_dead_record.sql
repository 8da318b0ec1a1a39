create or replace function jobrunner.take_dead_record(
  in_table text,
  in_known jsonb,
  in_user_id bigint,
  in_new jsonb
) returns jsonb
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Removes the row that waits for its deletion under the key of a record that is made anew, so that nothing of it lives
-- on.
-- Returns what it was; null: there was none. Not for callers: keep_edit.
declare
  v_dead jsonb;
  v_writes text := jobrunner.own_writes('on');
begin
  execute format(
    'delete from synced.%1$I as r using jsonb_populate_record(null::synced.%1$I, $2) as v
    where %2$s and r.pending_delete returning to_jsonb(r.*)', in_table, jobrunner.record_where(in_known -> 'key'))
  into v_dead using in_user_id, in_new;
  perform jobrunner.own_writes(v_writes);
  return v_dead;
end
$$;
comment on function jobrunner.take_dead_record is 'Removes the dead row under the key of a new record. Not for callers: keep_edit.';
