create or replace function jobrunner.take_change_turn(
  in_tenant_id bigint,
  in_table text
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Whether this transaction is the one that may give numbers to what was noted of the tenant and table, until it ends;
-- where another one has the turn, nobody waits. in_table: '' for events. Raises 40001 at repeatable read where numbers
-- were given since the transaction began. Not for callers: number_changes, number_events.
begin
  perform from jobrunner.change_turns as t
  where t.tenant_id = in_tenant_id and t.table_name = in_table
  for update skip locked;
  if found then
    return true;
  end if;
  -- The first turn makes the row, behind a lock that is tried: an insert would wait for the other one's commit. Nobody
  -- can hold that lock beforehand, since nobody but the owner knows the salt.
  if exists (
    select from jobrunner.change_turns as t where t.tenant_id = in_tenant_id and t.table_name = in_table
  ) or not pg_try_advisory_xact_lock(
    hashtextextended(format('%s %s', in_tenant_id, in_table), (select m.salt from jobrunner.migrating as m)))
  then
    return false;
  end if;
  insert into jobrunner.change_turns (tenant_id, table_name) values (in_tenant_id, in_table) on conflict do nothing;
  return found;
end
$$;
comment on function jobrunner.take_change_turn is 'Takes the turn to give numbers, or tells that another one has it. Not for callers: number_changes, number_events.';
