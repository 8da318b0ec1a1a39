create or replace function jobrunner.list_items(
  in_user_id bigint,
  in_table text,
  in_column text
) returns text[]
language plpgsql stable
set search_path = pg_catalog
as $$
-- A user's items of a list, in order; none: an empty array.
declare
  v_items text[];
begin
  execute format(
    'select coalesce(array_agg(%1$I order by %1$I), ''{}'') from synced.%2$I where user_id = $1',
    in_column, in_table)
  into v_items using in_user_id;
  return v_items;
end
$$;
comment on function jobrunner.list_items is 'A user''s items of a list.';
