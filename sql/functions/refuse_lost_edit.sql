create or replace function jobrunner.refuse_lost_edit(
  in_table text,
  in_known jsonb
) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- Raises JR016: the record is the source's, and no job file pushes its table. What is read there next would undo the
-- edit, and nobody would be told. Not for callers: edit_record, delete_record.
begin
  raise exception 'no job file pushes table ''%'', so that an edit of its source''s record would be lost', in_table
    using errcode = 'JR016',
    hint = format('Change the record at the source of %s. Records that were made here are changed and deleted freely.',
      in_known ->> 'job');
end
$$;
comment on function jobrunner.refuse_lost_edit is 'Refuses an edit that nothing would send. Not for callers: edit_record, delete_record.';
