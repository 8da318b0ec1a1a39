create or replace function jobrunner.merge_filter(
  in_table text,
  in_by jsonb,
  in_filters boolean
) returns text
language sql stable strict
set search_path = pg_catalog, pg_temp
as $$
select case when in_filters then format(
  ' and (%s) in (select %s from unnest($2) as given (value))',
  string_agg(format('r.%I', b.name), ', ' order by b.number),
  string_agg(format('split_part(given.value, chr(31), %s)::%s', b.number, format_type(a.atttypid, a.atttypmod)), ', '
    order by b.number)
) else '' end
from jsonb_array_elements_text(in_by) with ordinality as b (name, number)
join pg_attribute as a on a.attrelid = format('synced.%I', in_table)::regclass and a.attname = b.name
$$;
comment on function jobrunner.merge_filter is
  'SQL text: row r has one of the keys in $2; looks them up by index. Not for callers: merge_duplicates.';
