create or replace function jobrunner.settle_limits() returns void
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Settles the limits that are new: notes which claims of before may still be under way, and when all of them have ended, marks what
-- they have taken as counted. A limit whose turn another claim has is left to that one. Not for callers: rooms_of_tenants.
declare
  v_idle integer[] := '{}';
  v_fresh bigint[] := array(
    select l.tenant_id from jobrunner.limited_tenants as l where not l.is_settled for no key update skip locked
  );
begin
  -- A claim holds its worker's row from before it asks for limits to its end (hold_worker). Who holds none now has no claim
  -- under way that began before the limit was committed. The locks are let go at once.
  begin
    v_idle := array(
      select w.id from jobrunner.workers as w where w.ended_at is null for no key update skip locked
    );
    raise exception 'enough was seen' using errcode = 'JR099';
  exception when sqlstate 'JR099' then
    null;
  end;
  update jobrunner.limited_tenants as l
  set claiming_worker_ids = array(
    select w.id
    from jobrunner.workers as w
    where w.ended_at is null and w.id <> all (v_idle)
      and (l.claiming_worker_ids is null or w.id = any (l.claiming_worker_ids))
  )
  where l.tenant_id = any (v_fresh) and l.claiming_worker_ids is distinct from '{}';

  if exists (
    select from jobrunner.limited_tenants as l where l.tenant_id = any (v_fresh) and l.claiming_worker_ids = '{}'
  ) then
    perform jobrunner.count_limited_jobs();
    -- Jobs that somebody's transaction holds are not marked: they are looked for by each claim until they are.
    update jobrunner.limited_tenants as l
    set is_settled = true, claiming_worker_ids = null
    where l.tenant_id = any (v_fresh) and l.claiming_worker_ids = '{}'
      and l.tenant_id not in (select h.tenant_id from jobrunner.held_jobs() as h where h.limited_tenant_id is null);
  end if;
end
$$;
comment on function jobrunner.settle_limits is 'Counts what claims have taken that began before a limit was set. Not for callers: rooms_of_tenants.';
