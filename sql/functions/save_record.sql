create or replace function jobrunner.save_record(
  in_tenant text,
  in_user text,
  in_table text,
  in_values jsonb
) returns table (
  record jsonb,
  is_new boolean
)
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Inserts a record, or returns the one that is there with the same columns of unique.by, else of the key,
-- unchanged. Two at once make one row and both get it; a null in these columns makes a row of its own.
-- A record name that is not given is a new UUID. What else goes as in edit_record.
-- Raises JR010, JR011, JR016; an insert that fails with nothing to be found raises its own error.
-- Locks, when there is none yet: the job before all else, as a page does, then a row of save_turns that stands for
-- (user, table, values), which it makes and takes away: another one that makes it waits for this transaction's end.
declare
  -- The tenant first: another one learns nothing of its tables, either.
  v_user_id bigint := (jobrunner.user_named(in_tenant, coalesce(in_user, '*'))).id;
  v_known jsonb := jobrunner.writable_table(in_table, in_values);
  v_by jsonb := coalesce(v_known -> 'unique' -> 'by', v_known -> 'key');
  v_name text := v_known ->> 'record_name';
  v_same boolean;
  v_turn bigint;
  -- Where nothing is sent no trigger stamps.
  v_values jsonb := case
    when (v_known ->> 'push')::boolean then '{}' else jobrunner.stamps_of_edit(in_table, v_known, null, in_values)
  end || in_values;
begin
  -- A user that is being removed is waited for, and then gone.
  perform from jobrunner.users as u where u.id = v_user_id for key share;
  if not found then
    raise exception 'tenant ''%'' has no user ''%''', in_tenant, in_user using errcode = 'JR011';
  end if;
  select bool_and(coalesce(in_values -> b.name, 'null') <> 'null') into v_same
  from jsonb_array_elements_text(v_by) as b (name);
  if v_same then
    record := jobrunner.record_like(v_user_id, in_table, v_known, v_by, in_values);
    if record is null then
      perform jobrunner.hasten_push(v_user_id, in_table);
      v_turn := hashtextextended(
        (select in_table || ' ' || string_agg(in_values ->> b.name, chr(31))
        from jsonb_array_elements_text(v_by) as b (name)), 0);
      insert into jobrunner.save_turns as t (user_id, turn) values (v_user_id, v_turn) on conflict do nothing;
      delete from jobrunner.save_turns as t where t.user_id = v_user_id and t.turn = v_turn;
      record := jobrunner.record_like(v_user_id, in_table, v_known, v_by, in_values);
    end if;
  end if;
  is_new := record is null;
  if is_new then
    if not coalesce(v_same, false) then
      perform jobrunner.hasten_push(v_user_id, in_table);
    end if;
    if v_known -> 'key' ? v_name and in_values ->> v_name is null then
      v_values := v_values || jsonb_build_object(v_name, upper(gen_random_uuid()::text));
    end if;
    begin
      record := jobrunner.insert_record(v_user_id, in_table, v_values);
    exception when unique_violation then
      -- A row of another key that an index of the application's own refuses.
      if v_same then
        record := jobrunner.record_like(v_user_id, in_table, v_known, v_by, in_values);
      end if;
      if record is null then
        raise;
      end if;
      is_new := false;
    end;
  end if;
  return next;
end
$$;
comment on function jobrunner.save_record is 'Inserts a record, or returns the one that is there already.';
