create or replace function jobrunner.mark_items_sent(
  in_user_id bigint,
  in_table text,
  in_column text,
  in_items text[]
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Marks items of a list as synced, for a call has sent them; in a transaction that begins with hold_job. Returns how
-- many were not marked yet. An item that an application holds locked is passed over, and marked when the list is sent
-- again.
-- Not for callers: runs.
declare
  v_count integer;
begin
  execute format(
    'update synced.%1$I as t set synced = true
    where t.ctid = any (array(
      select o.ctid from synced.%1$I as o
      where o.user_id = $1 and o.%2$I = any ($2) and not o.synced
      for no key update skip locked
    ))', in_table, in_column)
  using in_user_id, in_items;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
comment on function jobrunner.mark_items_sent is 'Marks items of a list that a call has sent. Not for callers: runs.';
