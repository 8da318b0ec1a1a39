create or replace function jobrunner.edit_record(
  in_tenant text,
  in_user text,
  in_table text,
  in_values jsonb
) returns jsonb
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- A local edit: changes the record with these key columns, or adds it; columns not given stay or get their default. One
-- that waits for its deletion is made anew. keep_edit marks and stamps the row, as it does with plain SQL; here the
-- user goes by name, and the job that pushes is due after its debounce. How fresh the table is does not change. Returns
-- the row. In a table that no job file pushes only records that were made here are added and changed: they stay here,
-- and a pass spares them. Of a record that the source has given the edit would be lost, and is refused.
-- Raises JR010, JR011, JR016, or what the table says of a value.
-- Locks the job before the row, as a page does. While an edit is open no run begins that could miss it.
declare
  -- The tenant first: another one learns nothing of its tables, either.
  v_user_id bigint := (jobrunner.user_named(in_tenant, coalesce(in_user, '*'))).id;
  v_known jsonb := jobrunner.writable_table(in_table, in_values);
  v_is_sent boolean := v_known ->> 'push';
  -- Where nothing is sent no trigger stamps.
  v_values jsonb := case when not v_is_sent then jobrunner.stamps_of_edit(in_table, v_known, null, in_values)
    else '{}' end || in_values;
  v_missing text;
  v_columns text;
  v_sets text;
  v_row jsonb;
begin
  select k.name into v_missing
  from jsonb_array_elements_text(v_known -> 'key') as k (name) where in_values ->> k.name is null;
  if found then
    raise exception 'a record of table ''%'' needs its key column ''%''', in_table, v_missing using errcode = 'JR016';
  end if;
  select string_agg(quote_ident(c.name), ', '), string_agg(format('%1$I = v.%1$I', c.name), ', ')
  into v_columns, v_sets
  from jsonb_object_keys(v_values) as c (name);

  -- A user that is being removed is waited for, and then gone.
  perform from jobrunner.users as u where u.id = v_user_id for key share;
  if not found then
    raise exception 'tenant ''%'' has no user ''%''', in_tenant, in_user using errcode = 'JR011';
  end if;
  perform jobrunner.hasten_push(v_user_id, in_table);
  -- The update first: an insert would refuse a change of some columns for want of the others.
  for v_attempt in 1..3 loop
    execute format(
      'update synced.%1$I as r set %2$s, synced = false from jsonb_populate_record(null::synced.%1$I, $2) as v where %3$s and not %4$s
      returning to_jsonb(r.*)', in_table, v_sets, jobrunner.record_where(v_known -> 'key'),
      case when v_is_sent then 'r.pending_delete' else 'r.synced' end)
    into v_row using v_user_id, v_values;
    exit when v_row is not null;
    execute format(
      'insert into synced.%1$I as r (user_id, synced, %2$s)
      select $1, false, %3$s from jsonb_populate_record(null::synced.%1$I, $2) as v
      on conflict (user_id, %4$s) do nothing returning to_jsonb(r.*)', in_table, v_columns,
      (select string_agg(format('v.%I', c.name), ', ') from jsonb_object_keys(v_values) as c (name)),
      (select string_agg(quote_ident(k.name), ', ') from jsonb_array_elements_text(v_known -> 'key') as k (name)))
    into v_row using v_user_id, v_values;
    exit when v_row is not null;
  end loop;
  if v_row is null and not v_is_sent then
    perform jobrunner.refuse_lost_edit(in_table, v_known);
  end if;
  return v_row;
end
$$;
comment on function jobrunner.edit_record is 'Changes or adds a record here, to be sent to the source.';
