create or replace function jobrunner.watch_table(
  in_table text
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Gives a table of schema synced the triggers that it needs, and takes away those that it needs no more: of rows that
-- somebody else than jobrunner removes, all tables that jobs fill tell; of edits, those that a job sends back
-- (keep_edit). Statements of jobrunner's own cost them one look at a setting (own_writes). Where a job file asks for
-- it, changes are told too, whoever made them (tell_changes). Until such triggers were made, changes may have been
-- missed: what was noted before goes, and readers begin anew. Returns whether anything was made.
-- Not for callers: migrate.
declare
  v_trigger record;
  v_made boolean := false;
  v_tells boolean := false;
  v_is_told boolean := coalesce((select s.told is not null from jobrunner.synced_tables as s
    where s.name = in_table), false);
  v_is_sent boolean := coalesce((select (s.writable ->> 'push')::boolean from jobrunner.synced_tables as s
    where s.name = in_table), false);
begin
  for v_trigger in
    select *, exists (
        select from pg_trigger as g
        where g.tgrelid = format('synced.%I', in_table)::regclass and g.tgname = t.name and g.tgenabled <> 'D'
      ) as is_there
    from (values
      ('jobrunner_notes_removals', 'after delete', 'referencing old table as gone for each statement',
        'request_full_after_removal', true,
        'Rows that somebody deletes by hand are read again.'),
      ('jobrunner_notes_truncation', 'after truncate', 'for each statement', 'request_full_after_removal', true,
        'Rows that somebody removes by hand are read again.'),
      ('jobrunner_keeps_edits', 'before insert or update or delete', 'for each row', 'keep_edit', v_is_sent,
        'What somebody else than a run writes is an edit, and is sent.'),
      ('jobrunner_tells_inserts', 'after insert', 'referencing new table as made for each statement', 'tell_changes',
        v_is_told, 'Applications are told of new rows.'),
      ('jobrunner_tells_updates', 'after update', 'referencing old table as gone new table as made for each statement',
        'tell_changes', v_is_told, 'Applications are told of changed rows.'),
      ('jobrunner_tells_deletes', 'after delete', 'referencing old table as gone for each statement', 'tell_changes',
        v_is_told, 'Applications are told of deleted rows.'),
      ('jobrunner_tells_truncation', 'after truncate', 'for each statement', 'tell_all_anew', v_is_told,
        'Applications are told to begin anew.')
    ) as t (name, event, scope, body, is_wanted, words)
  loop
    if v_trigger.is_there <> v_trigger.is_wanted then
      execute format('drop trigger if exists %I on synced.%I', v_trigger.name, in_table);
    end if;
    if v_trigger.is_wanted and not v_trigger.is_there then
      execute format(
        'create trigger %I
        %s on synced.%I
        %s
        %s
        execute function jobrunner.%I()', v_trigger.name, v_trigger.event, in_table, v_trigger.scope,
        case when v_trigger.name not like 'jobrunner\_tells\_%' then
          'when (current_setting(''jobrunner.own_writes'', true) is distinct from ''on'')' else '' end, v_trigger.body);
      execute format('comment on trigger %I on synced.%I is %L', v_trigger.name, in_table, v_trigger.words);
      v_made := true;
      v_tells := v_tells or v_trigger.name like 'jobrunner\_tells\_%';
    end if;
  end loop;
  if v_tells then
    update jobrunner.synced_tables as s set told_anew = gen_random_uuid() where s.name = in_table;
    delete from jobrunner.changes as c where c.table_name = in_table;
  end if;
  return v_made;
end
$$;
comment on function jobrunner.watch_table is 'Gives a synced table its triggers. Not for callers: migrate.';
