create or replace function jobrunner.watch_removals(
  in_table text
) returns boolean
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Has a table of synced tell when somebody else than jobrunner deletes rows of it. Statements of its own cost it one look at
-- a setting (own_deletes). Returns whether it did not yet. Not for callers: migrate.
declare
  v_trigger record;
  v_made boolean := false;
begin
  for v_trigger in
    select *
    from (values
      ('jobrunner_notes_removals', 'delete', 'referencing old table as gone', 'Rows that somebody deletes by hand are read again.'),
      ('jobrunner_notes_truncation', 'truncate', '', 'Rows that somebody removes by hand are read again.')
    ) as t (name, event, rows, words)
    where not exists (
      select from pg_trigger as g
      where g.tgrelid = format('synced.%I', in_table)::regclass and g.tgname = t.name and g.tgenabled <> 'D'
    )
  loop
    execute format('drop trigger if exists %I on synced.%I', v_trigger.name, in_table);
    execute format(
      'create trigger %I
      after %s on synced.%I
      %s
      for each statement
      when (current_setting(''jobrunner.own_deletes'', true) is distinct from ''on'')
      execute function jobrunner.request_full_after_removal()', v_trigger.name, v_trigger.event, in_table, v_trigger.rows);
    execute format('comment on trigger %I on synced.%I is %L', v_trigger.name, in_table, v_trigger.words);
    v_made := true;
  end loop;
  return v_made;
end
$$;
comment on function jobrunner.watch_removals is 'Has a table tell of rows that are deleted by hand. Not for callers: migrate.';
