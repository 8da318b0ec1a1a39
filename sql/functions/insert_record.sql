create or replace function jobrunner.insert_record(
  in_user_id bigint,
  in_table text,
  in_known jsonb,
  in_values jsonb
) returns jsonb
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Adds an unsent record; one of the same key that waits for its deletion lives on instead, with these values.
-- Raises unique_violation beside any other row. Not for callers: save_record.
declare
  v_row jsonb;
begin
  execute format(
    'insert into synced.%1$I as r (user_id, synced, %2$s)
    select $1, false, %3$s from jsonb_populate_record(null::synced.%1$I, $2) as v%4$s returning to_jsonb(r.*)', in_table,
    (select string_agg(quote_ident(c.name), ', ') from jsonb_object_keys(in_values) as c (name)),
    (select string_agg(format('v.%I', c.name), ', ') from jsonb_object_keys(in_values) as c (name)),
    case when (in_known ->> 'push')::boolean
      then format(' on conflict (user_id, %s) do update set synced = false, pending_delete = false, push_error = null%s
        where r.pending_delete',
        (select string_agg(quote_ident(k.name), ', ') from jsonb_array_elements_text(in_known -> 'key') as k (name)),
        (select string_agg(format(', %1$I = excluded.%1$I', c.name), '')
        from jsonb_object_keys(in_values) as c (name)))
      else '' end)
  into v_row using in_user_id, in_values;
  if v_row is null then
    raise exception 'table ''%'' has a record of this key already', in_table using errcode = 'unique_violation';
  end if;
  return v_row;
end
$$;
comment on function jobrunner.insert_record is 'Adds an unsent record.';
