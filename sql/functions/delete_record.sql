create or replace function jobrunner.delete_record(
  in_tenant text,
  in_user text,
  in_table text,
  in_key jsonb
) returns boolean
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Deletes a record by its key columns, as a plain delete does. One that the source has, or may just be getting, stays
-- as pending_delete until a push has deleted it there; any other goes at once. Returns whether there was one. Raises
-- JR010, JR011, and JR016 also for a record that the source has given where no job file pushes: it would come back.
-- Locks the job before the row, as a page does.
declare
  -- The tenant first: another one learns nothing of its tables, either.
  v_user_id bigint := (jobrunner.user_named(in_tenant, coalesce(in_user, '*'))).id;
  v_known jsonb := jobrunner.writable_table(in_table, in_key);
  v_missing text;
  v_is_sources boolean;
  v_count integer;
  v_writes text;
begin
  select k.name into v_missing
  from jsonb_array_elements_text(v_known -> 'key') as k (name) where in_key ->> k.name is null;
  if found then
    raise exception 'a record of table ''%'' needs its key column ''%''', in_table, v_missing using errcode = 'JR016';
  end if;
  execute format(
    'select r.synced from synced.%1$I as r, jsonb_populate_record(null::synced.%1$I, $2) as v where %2$s',
    in_table, jobrunner.record_where(v_known -> 'key'))
  into v_is_sources using v_user_id, in_key;
  if v_is_sources is null then
    return false;
  end if;
  if v_is_sources and not (v_known ->> 'push')::boolean then
    perform jobrunner.refuse_lost_edit(in_table, v_known);
  end if;
  perform jobrunner.hasten_push(v_user_id, in_table);
  if not (v_known ->> 'sends_deletes')::boolean then
    v_writes := jobrunner.own_writes('on');
  end if;
  -- Where deletions are sent, keep_edit makes a row that the source knows wait for its own.
  execute format(
    'delete from synced.%1$I as r using jsonb_populate_record(null::synced.%1$I, $2) as v where %2$s',
    in_table, jobrunner.record_where(v_known -> 'key'))
  using v_user_id, in_key;
  get diagnostics v_count = row_count;
  if v_writes is not null then
    perform jobrunner.own_writes(v_writes);
    return v_count > 0;
  end if;
  return true;
end
$$;
comment on function jobrunner.delete_record is 'Deletes a record here and, by a push, at the source.';
