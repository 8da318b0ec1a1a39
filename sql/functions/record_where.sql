create or replace function jobrunner.record_where(
  in_columns jsonb
) returns text
language sql immutable strict
set search_path = pg_catalog, pg_temp
as $$
select 'r.user_id = $1 and ' || string_agg(format('r.%1$I = v.%1$I', c.name), ' and ' order by c.number)
from jsonb_array_elements_text(in_columns) with ordinality as c (name, number)
$$;
comment on function jobrunner.record_where is
  'SQL text: row r is of user $1 and agrees with the values v in these columns. Not for callers.';
