create or replace function jobrunner.read_cursor(
  in_cursor text,
  in_scope text,
  in_table text
) returns table (
  epoch uuid,
  number bigint,
  place jsonb
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- What a cursor says. Raises JR017 for one that cursor_of_changes did not write, or wrote for another table, tenant or
-- user. in_table: null for events. Not for callers: changes_since, events_since.
declare
  v_parts text[] := regexp_match(in_cursor,
    '^1\.([0-9a-f]{32})\.([0-9a-f]{16})\.([0-9]{1,18})(?:\.((?:[0-9a-f]{2})+))?$');
begin
  -- Events have no place.
  if v_parts is null or in_table is null and v_parts[4] is not null then
    raise exception 'not a cursor of changes_since or events_since' using errcode = 'JR017',
      hint = 'Null begins from the first row.';
  end if;
  if v_parts[2] <> in_scope then
    raise exception 'the cursor is of another tenant, table or user than is asked for' using errcode = 'JR017',
      hint = 'Keep a cursor for each, and begin with null.';
  end if;
  epoch := v_parts[1]::uuid;
  number := v_parts[3]::bigint;
  begin
    place := convert_from(decode(v_parts[4], 'hex'), 'UTF8')::jsonb;
    if place is null then
      return next;
      return;
    end if;
    -- The values must be of their columns' types.
    execute format('select from jsonb_populate_record(null::synced.%I, $1)', in_table) using place -> 1;
  exception when data_exception or program_limit_exceeded then
    raise exception 'not a cursor of changes_since or events_since' using errcode = 'JR017',
      hint = 'Null begins from the first row.';
  end;
  return next;
end
$$;
comment on function jobrunner.read_cursor is 'What a cursor says, or error JR017. Not for callers: changes_since, events_since.';
