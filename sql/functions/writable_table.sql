create or replace function jobrunner.writable_table(
  in_table text,
  in_values jsonb
) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- What edit_record, save_record and delete_record must know of a table: jobrunner.synced_tables.writable.
-- Raises JR016 for a table that is not one of records, or a column that no job file fills. Not for callers.
declare
  v_known jsonb;
  v_column text;
begin
  select s.writable into v_known from jobrunner.synced_tables as s where s.name = in_table and s.writable ? 'fields';
  if not found then
    raise exception 'no table of records is named ''%''', in_table using errcode = 'JR016',
      hint = coalesce((
        select 'There are ' || string_agg(s.name, ', ' order by s.name) || '.'
        from jobrunner.synced_tables as s where s.writable ? 'fields'
      ), 'There is none yet: run jobrunner migrate.');
  end if;
  if jsonb_typeof(in_values) is distinct from 'object' then
    raise exception 'the values for table ''%'' are not a JSON object', in_table using errcode = 'JR016',
      hint = 'Expected {"column": value, ...}.';
  end if;
  select k.name into v_column
  from jsonb_object_keys(in_values) as k (name)
  where not v_known -> 'fields' ? k.name
  order by k.name
  limit 1;
  if found then
    raise exception 'table ''%'' has no column ''%'' to write', in_table, v_column using errcode = 'JR016',
      hint = 'Its columns are ' || (
        select string_agg(f.name, ', ') from jsonb_array_elements_text(v_known -> 'fields') as f (name)
      ) || '.';
  end if;
  return v_known;
end
$$;
comment on function jobrunner.writable_table is 'What local edits must know of a table, its columns checked.';
