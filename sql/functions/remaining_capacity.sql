create or replace function jobrunner.remaining_capacity(
  in_tenant_ids bigint[]
) returns setof jobrunner.remaining_capacity
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
-- Of those of the tenants that are paused or have a limit: how many more of their jobs may run now, and the reason. The
-- turn to claim from a tenant with a limit is its row of limited_tenants, taken by skip locked and kept to the claim's
-- end; who has it sees all that those have claimed who had it before. Runs that have ended are uncounted here and
-- nowhere else, so that an end writes nothing for a limit.
-- Not for callers: claim_of_tenants, claim_suspect.
declare
  v_tenants jobrunner.tenants[];
  v_turns bigint[];
begin
  v_tenants := array(
    select t from jobrunner.restricted_tenants(in_tenant_ids) as t where t.max_running is not null
      or t.paused_at is not null
  );
  if v_tenants = '{}' then
    return;
  end if;
  v_turns := array(
    select l.tenant_id
    from jobrunner.limited_tenants as l
    where l.tenant_id = any (array(select t.id from unnest(v_tenants) as t where t.paused_at is null))
    for no key update skip locked
  );
  delete from jobrunner.limited_runs as l
  where l.tenant_id = any (v_turns)
    and not exists (
      select from jobrunner.jobs as j
      where j.user_id = l.user_id and j.name = l.name and j.fence = l.fence and j.worker_id is not null
    );
  return query
    select c.id, c.room,
      case
        when c.paused_at is not null then 'paused'
        when c.room = 2147483647 then 'limited'
        when c.is_settled is null then 'busy'
        when not c.is_settled then 'unsettled'
        when c.room = 0 then 'full'
        else 'limited'
      end
    from (
      select t.id, t.paused_at, l.is_settled,
        case
          when t.paused_at is null and t.max_running is null then 2147483647
          when t.paused_at is null and l.is_settled
          then greatest(0, t.max_running - (select count(*) from jobrunner.limited_runs as r
            where r.tenant_id = t.id))::integer
          else 0
        end as room
      -- Read once more: the limit may have been changed before the turn was taken.
      from unnest(v_tenants) as v
      join jobrunner.tenants as t on t.id = v.id
      left join jobrunner.limited_tenants as l on l.tenant_id = t.id and l.tenant_id = any (v_turns)
    ) as c;
end
$$;
comment on function jobrunner.remaining_capacity is 'How many more jobs of restricted tenants may run now. Not for callers: claim_of_tenants, claim_suspect.';
