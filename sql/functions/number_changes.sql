create or replace function jobrunner.number_changes(
  in_tenant_id bigint,
  in_table text,
  in_user_key text,
  in_after bigint,
  in_limit integer
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
-- Gives numbers to changes that have none, the earlier noted first, so that a reader who has read up to in_after has
-- in_limit to read. Only who has the turn of the tenant and table draws numbers, until its transaction ends: no number
-- appears behind one that anybody has read. Nothing to do: writes and locks nothing. Where another one has the turn,
-- nobody waits. Raises 40001 at repeatable read where numbers were given since the transaction began. in_user_key:
-- only this user's changes; null: everybody's. Not for callers: changes_since.
declare
  v_of text := 'e.tenant_id = $1 and e.table_name = $2'
    || case when in_user_key is not null then ' and e.user_key = $3' else '' end;
  v_lacks integer;
  v_last bigint;
begin
  execute format(
    'select $5 - count(*) from (select from jobrunner.changes as e where %s and e.number > $4 limit $5) as n', v_of)
  into v_lacks using in_tenant_id, in_table, in_user_key, in_after, in_limit;
  if v_lacks > 0 then
    execute format('select exists (select from jobrunner.changes as e where %s and e.number is null)::integer', v_of)
    into v_last using in_tenant_id, in_table, in_user_key;
  end if;
  if v_lacks <= 0 or v_last = 0 then
    return;
  end if;

  if not jobrunner.take_change_turn(in_tenant_id, in_table) then
    return;
  end if;

  execute format(
    'with given as materialized (
      select n.id, nextval(''jobrunner.change_numbers'') as number
      from (
        -- One that is locked is about to go.
        select e.id from jobrunner.changes as e where %s and e.number is null order by e.id limit $4
        for update skip locked
      ) as n
    ), numbered as (
      update jobrunner.changes as e set number = g.number from given as g where e.id = g.id returning e.number
    )
    select max(n.number) from numbered as n', v_of)
  into v_last using in_tenant_id, in_table, in_user_key, v_lacks;
  -- Written, so that a transaction whose snapshot lacks these numbers can't take the turn.
  update jobrunner.change_turns as t set last_number = v_last
  where t.tenant_id = in_tenant_id and t.table_name = in_table and v_last is not null;
  -- A number that a crash could take back after somebody has read it would be given again.
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
end
$$;
comment on function jobrunner.number_changes is 'Gives numbers to changes that have none. Not for callers: changes_since.';
