create or replace function jobrunner.edit_list(
  in_tenant text,
  in_user text,
  in_table text,
  in_column text,
  in_add text[] default '{}',
  in_remove text[] default '{}'
) returns table (
  added integer,
  removed integer
)
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Adds items to a user's list and removes others, whatever else is in it: two devices that edit it at once both have
-- their way. An item that is there already is not written again; one that is given to both is removed. Makes the job
-- due after the list's debounce, where its file names one. Raises JR010, JR011, and JR016 for a table of records.
-- Locks the user's row before the job's.
declare
  v_user_id bigint := (jobrunner.user_named(in_tenant, in_user)).id;
  v_add text[] := coalesce(array_remove(in_add, null), '{}');
  v_writes text;
  v_remove text[] := coalesce(array_remove(in_remove, null), '{}');
begin
  perform from jobrunner.users as u where u.id = v_user_id for no key update;
  perform jobrunner.check_list(in_table, in_column);
  perform jobrunner.hasten_push(v_user_id, in_table);
  v_writes := jobrunner.own_writes('on');
  execute format('delete from synced.%1$I where user_id = $1 and %2$I = any ($2)', in_table, in_column)
  using v_user_id, v_remove;
  get diagnostics removed = row_count;
  perform jobrunner.own_writes(v_writes);
  execute format(
    'insert into synced.%1$I (user_id, %2$I)
    select $1, g.item from (select distinct unnest($2)) as g (item) where g.item <> all ($3) order by g.item
    on conflict do nothing', in_table, in_column)
  using v_user_id, v_add, v_remove;
  get diagnostics added = row_count;
  return next;
end
$$;
comment on function jobrunner.edit_list is 'Adds items to a user''s list and removes others.';
