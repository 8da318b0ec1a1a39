create or replace function jobrunner.check_list(
  in_table text,
  in_column text
) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- Raises JR016 for a table that is no list, or whose items are in another column: a list's verbs delete what they are
-- not given, which in a table of records would be the source's. Not for callers: edit_list, replace_list, list_items.
declare
  v_column text;
begin
  select a.attname into v_column
  from jobrunner.synced_tables as s
  join pg_index as i on i.indrelid = to_regclass(format('synced.%I', s.name)) and i.indisprimary
  join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = any (i.indkey) and a.attname <> 'user_id'
  where s.name = in_table and s.kind = 'list';
  if v_column is null then
    raise exception 'no list is kept in a table ''%''', in_table using errcode = 'JR016',
      hint = coalesce(
        (select 'There are ' || string_agg(s.name, ', ' order by s.name) || '.' from jobrunner.synced_tables as s
          where s.kind = 'list'),
        'There is none yet: a job file declares lists.'
      );
  end if;
  if v_column is distinct from in_column then
    raise exception 'the items of list ''%'' are not in a column ''%''', in_table, in_column using errcode = 'JR016',
      hint = format('They are in %s.', v_column);
  end if;
end
$$;
comment on function jobrunner.check_list is 'Refuses a table that is no list. Not for callers: edit_list, replace_list, list_items.';
