create or replace function jobrunner.watch_removals(
  in_table text
) returns void
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Has a table of synced tell when somebody else than jobrunner deletes rows of it. Statements of its own cost it one look at
-- a setting. Not for callers: migrate.
begin
  if exists (
    select from pg_trigger as t
    where t.tgrelid = format('synced.%I', in_table)::regclass and t.tgname = 'jobrunner_notes_removals'
  ) then
    return;
  end if;
  execute format(
    'create trigger jobrunner_notes_removals
    after delete on synced.%1$I
    referencing old table as gone
    for each statement
    when (current_setting(''jobrunner.own_deletes'', true) is distinct from ''on'')
    execute function jobrunner.request_full_after_removal()', in_table);
  execute format(
    'create trigger jobrunner_notes_truncation
    after truncate on synced.%1$I
    for each statement
    when (current_setting(''jobrunner.own_deletes'', true) is distinct from ''on'')
    execute function jobrunner.request_full_after_removal()', in_table);
  execute format(
    'comment on trigger jobrunner_notes_removals on synced.%I is %L', in_table,
    'Rows that somebody deletes by hand are read again.');
  execute format(
    'comment on trigger jobrunner_notes_truncation on synced.%I is %L', in_table,
    'Rows that somebody removes by hand are read again.');
end
$$;
comment on function jobrunner.watch_removals is 'Has a table tell of rows that are deleted by hand. Not for callers: migrate.';
