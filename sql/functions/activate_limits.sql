create or replace function jobrunner.activate_limits() returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set lock_timeout = '200ms'
as $$
-- Counts what runs of tenants whose limit is new, and lets them be claimed from again; returns of how many. A claim
-- under way may have begun before a limit was set, and does not count what it takes. A claim holds its worker's row for
-- share from before it asks for limits to its end, so who has locked the rows of all workers has waited for every such
-- claim; the locks last some milliseconds. A tenant whose turn another has is left to that one. Raises 55P03 when a
-- claim takes longer than 200 ms.
declare
  v_ids bigint[] := array(
    select l.tenant_id from jobrunner.limited_tenants as l where not l.is_settled for no key update skip locked
  );
begin
  if v_ids = '{}' then
    return 0;
  end if;
  perform from jobrunner.workers as w where w.ended_at is null order by w.id for no key update;
  insert into jobrunner.limited_runs (tenant_id, user_id, name, fence)
  select h.tenant_id, h.user_id, h.name, h.fence from jobrunner.held_jobs() as h where h.tenant_id = any (v_ids)
  on conflict do nothing;
  update jobrunner.limited_tenants as l set is_settled = true where l.tenant_id = any (v_ids);
  return cardinality(v_ids);
end
$$;
comment on function jobrunner.activate_limits is 'Counts what runs towards limits that are new.';
