create or replace function jobrunner.refuse_unstamped(
  in_table text,
  in_column text,
  in_version text
) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- Raises JR016: an edit of the record could never win, since nothing is later than its version. Not for callers:
-- stamps_of_edit.
begin
  raise exception 'a record of table ''%'' has % %, which no edit can be later than', in_table, in_column, in_version
    using errcode = 'JR016',
    hint = 'Mend the version of the record at its source.';
end
$$;
comment on function jobrunner.refuse_unstamped is 'Refuses an edit that can have no later version. Not for callers: stamps_of_edit.';
