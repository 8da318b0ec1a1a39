create or replace function jobrunner.list_of(
  in_user_id bigint,
  in_table text,
  in_column text
) returns table (
  items text[],
  hash text
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- A user's items of a list in order, and their hash as preload_runs tells it; none: an empty array.
-- Not for callers: runs, list_items.
begin
  execute format(
    'select coalesce(array_agg(%1$I order by %1$I), ''{}''), coalesce(md5(string_agg(%1$I, E''\n'' order by %1$I)), '''')
    from synced.%2$I where user_id = $1',
    in_column, in_table)
  into items, hash using in_user_id;
  return next;
end
$$;
comment on function jobrunner.list_of is 'A user''s items of a list, and their hash. Not for callers: runs, list_items.';
