create or replace function jobrunner.number_events(
  in_tenant_id bigint,
  in_after bigint,
  in_limit integer
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
-- As number_changes, for the events of a tenant: gives numbers to those that have none, so that a reader who has read
-- up to in_after has in_limit to read. Not for callers: events_since.
declare
  v_lacks integer;
  v_last bigint;
begin
  select in_limit - count(*) into v_lacks
  from (
    select from jobrunner.events as e
    where e.tenant_id = in_tenant_id and e.number > in_after
    limit in_limit
  ) as n;
  if v_lacks <= 0 or not exists (
    select from jobrunner.events as e where e.tenant_id = in_tenant_id and e.number is null
  ) or not jobrunner.take_change_turn(in_tenant_id, '') then
    return;
  end if;

  with given as materialized (
    select n.transaction_id, n.id, nextval('jobrunner.change_numbers') as number
    from (
      select e.transaction_id, e.id from jobrunner.events as e
      where e.tenant_id = in_tenant_id and e.number is null
      order by e.id
      limit v_lacks
      for update skip locked
    ) as n
  ), numbered as (
    update jobrunner.events as e set number = g.number from given as g
    where e.transaction_id = g.transaction_id and e.id = g.id
    returning e.number
  )
  select max(n.number) into v_last from numbered as n;
  update jobrunner.change_turns as t set last_number = v_last
  where t.tenant_id = in_tenant_id and t.table_name = '' and v_last is not null;
  -- A number that a crash could take back after somebody has read it would be given again.
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
end
$$;
comment on function jobrunner.number_events is 'Gives numbers to events that have none. Not for callers: events_since.';
