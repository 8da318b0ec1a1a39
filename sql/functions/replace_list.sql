create or replace function jobrunner.replace_list(
  in_tenant text,
  in_user text,
  in_table text,
  in_column text,
  in_items text[]
) returns table (
  added integer,
  removed integer
)
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Makes a user's list hold exactly these items; what stays is not written again.
-- Makes the job due after the list's debounce, where its file names one. Raises JR010, JR011, and JR016 for a table of
-- records.
-- Locks the user's row: of two callers the later one would else not see, and so not remove, what the other adds.
declare
  v_user_id bigint := (jobrunner.user_named(in_tenant, in_user)).id;
  v_writes text;
  v_items text[] := coalesce(array_remove(in_items, null), '{}');
begin
  perform from jobrunner.users as u where u.id = v_user_id for no key update;
  perform jobrunner.check_list(in_table, in_column);
  perform jobrunner.push_soon(v_user_id, in_table);
  v_writes := jobrunner.own_writes('on');
  execute format('delete from synced.%1$I where user_id = $1 and %2$I <> all ($2)', in_table, in_column)
  using v_user_id, v_items;
  get diagnostics removed = row_count;
  perform jobrunner.own_writes(v_writes);
  execute format(
    'insert into synced.%1$I (user_id, %2$I) select $1, item from (select distinct unnest($2)) as given (item)
    on conflict do nothing', in_table, in_column)
  using v_user_id, v_items;
  get diagnostics added = row_count;
  return next;
end
$$;
comment on function jobrunner.replace_list is 'Makes a user''s list hold exactly the given items.';
