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
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Makes a user's list hold exactly these items; what stays is not written again.
-- Makes the job due after the list's debounce, where its file names one. Raises JR010, JR011, and JR016 for a table of
-- records.
-- Locks the user's row: of two callers the later one would else not see, and so not remove, what the other adds.
declare
  v_user_id bigint := (jobrunner.user_named(in_tenant, in_user)).id;
  v_lacking text[];
begin
  perform from jobrunner.users as u where u.id = v_user_id for no key update;
  perform jobrunner.check_list(in_table, in_column);
  execute format('select array_agg(%2$I) from synced.%1$I where user_id = $1 and %2$I <> all ($2)', in_table, in_column)
  into v_lacking
  using v_user_id, coalesce(array_remove(in_items, null), '{}');
  return query select e.* from jobrunner.edit_list(in_tenant, in_user, in_table, in_column, in_items, v_lacking) as e;
end
$$;
comment on function jobrunner.replace_list is 'Makes a user''s list hold exactly the given items.';
