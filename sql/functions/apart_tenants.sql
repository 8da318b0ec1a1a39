create or replace function jobrunner.apart_tenants(
  in_tenant_ids bigint[]
) returns bigint[]
language plpgsql stable
set search_path = pg_catalog
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
-- Those of the tenants that are paused or have a limit. Where no tenant is, that is known by one look at the index.
-- Not for callers: claim_jobs, pick_due, pick_places.
begin
  if not exists (
    select
    from jobrunner.tenants as t
    where (t.paused_at is not null or t.max_running is not null or t.weight <> 1)
      and t.id between (select min(i.id) from unnest(in_tenant_ids) as i (id)) and (select max(i.id) from unnest(in_tenant_ids) as i (id))
  ) then
    return '{}';
  end if;
  return array(
    select t.id
    from jobrunner.tenants as t
    where t.id = any (array(select distinct i.id from unnest(in_tenant_ids) as i (id)))
      and (t.paused_at is not null or t.max_running is not null or t.weight <> 1)
      and (t.paused_at is not null or t.max_running is not null)
  );
end
$$;
comment on function jobrunner.apart_tenants is 'Tenants that are paused or have a limit. Not for callers: claim_jobs, pick_due, pick_places.';
