create or replace function jobrunner.cursor_of_changes(
  in_epoch uuid,
  in_scope text,
  in_number bigint,
  in_place jsonb default null
) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- A cursor as its reader keeps it. in_place: behind which row the present ones go on, [user, key] or []; null: they
-- were all told. Not for callers: changes_since.
begin
  return concat_ws('.', '1', replace(in_epoch::text, '-', ''), in_scope, in_number,
    encode(convert_to(in_place::text, 'UTF8'), 'hex'));
end
$$;
comment on function jobrunner.cursor_of_changes is 'A cursor as its reader keeps it. Not for callers: changes_since.';
