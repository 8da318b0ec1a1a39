create or replace function jobrunner.told_table(
  in_table text
) returns jobrunner.synced_tables
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- A table whose changes are told, which nobody can drop or truncate before the transaction ends. The lock comes before
-- those of its changes, as in migrate. Raises JR016. Not for callers: changes_since.
declare
  v_table jobrunner.synced_tables;
begin
  select s.* into v_table from jobrunner.synced_tables as s where s.name = in_table;
  if found then
    execute format('lock table synced.%I in access share mode', in_table);
    -- As it is now, should somebody have been waited for.
    select s.* into v_table from jobrunner.synced_tables as s where s.name = in_table;
  end if;
  if v_table.told is null then
    raise exception 'table ''%'' tells no changes', in_table using errcode = 'JR016',
      hint = 'Its entity needs write.changes: true in the job file, and then jobrunner migrate.';
  end if;
  return v_table;
end
$$;
comment on function jobrunner.told_table is 'A table whose changes are told, or error JR016. Not for callers: changes_since.';
