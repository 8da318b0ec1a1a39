create or replace function jobrunner.told_columns(
  in_columns jsonb
) returns text
language sql immutable strict
set search_path = pg_catalog, pg_temp
as $$
select format('(select to_jsonb(t) from (select %s) as t)', string_agg(format('r.%I', c.name), ', ' order by c.number))
from jsonb_array_elements_text(in_columns) with ordinality as c (name, number)
$$;
comment on function jobrunner.told_columns is 'SQL text: these columns of row r as one jsonb. Not for callers: changes_since and its trigger.';
