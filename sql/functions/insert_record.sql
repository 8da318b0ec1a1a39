create or replace function jobrunner.insert_record(
  in_user_id bigint,
  in_table text,
  in_values jsonb
) returns jsonb
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Adds an unsent record, in place of one of the same key that waits for its deletion (keep_edit).
-- Raises unique_violation beside any other row. Not for callers: save_record.
declare
  v_row jsonb;
begin
  execute format(
    'insert into synced.%1$I as r (user_id, synced, %2$s)
    select $1, false, %3$s from jsonb_populate_record(null::synced.%1$I, $2) as v returning to_jsonb(r.*)', in_table,
    (select string_agg(quote_ident(c.name), ', ') from jsonb_object_keys(in_values) as c (name)),
    (select string_agg(format('v.%I', c.name), ', ') from jsonb_object_keys(in_values) as c (name)))
  into v_row using in_user_id, in_values;
  return v_row;
end
$$;
comment on function jobrunner.insert_record is 'Adds an unsent record.';
