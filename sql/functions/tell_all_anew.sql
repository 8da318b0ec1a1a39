create or replace function jobrunner.tell_all_anew() returns trigger
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Trigger of the tables whose changes are told: a truncate names no rows, so that every reader begins anew. It acts as
-- the owner, as tell_changes does. Returns null. Not for callers: a trigger.
begin
  update jobrunner.synced_tables as s set told_anew = gen_random_uuid() where s.name = tg_table_name::text;
  return null;
end
$$;
comment on function jobrunner.tell_all_anew is 'Has the readers of a truncated table begin anew. Not for callers: a trigger.';
