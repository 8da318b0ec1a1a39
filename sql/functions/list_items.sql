create or replace function jobrunner.list_items(
  in_tenant text,
  in_user text,
  in_table text,
  in_column text
) returns table (
  items text[],
  hash text
)
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- A user's items of a list in order, and a hash that stands for exactly these; none: an empty array.
-- Raises JR010, JR011, and JR016 for a table that is no list.
declare
  v_user_id bigint := (jobrunner.user_named(in_tenant, in_user)).id;
begin
  perform jobrunner.check_list(in_table, in_column);
  return query select l.items, l.hash from jobrunner.list_of(v_user_id, in_table, in_column) as l;
end
$$;
comment on function jobrunner.list_items is 'A user''s items of a list, and their hash.';
