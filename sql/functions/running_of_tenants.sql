create or replace function jobrunner.running_of_tenants(
  in_tenant_ids bigint[]
) returns table (
  tenant_id bigint,
  running integer
)
language plpgsql volatile
set search_path = pg_catalog
set enable_seqscan = off
as $$
-- How many jobs of tenants with max_running run now. A claim that began before a limit was set has not marked its jobs:
-- for two minutes they are looked for among all that are due; by then reconcile_jobs has marked them.
-- Exact for who holds the tenants' rows of limited_tenants, in a statement of its own.
#variable_conflict use_column
declare
  v_fresh bigint[] := array(
    select l.tenant_id
    from jobrunner.limited_tenants as l
    where l.tenant_id = any (in_tenant_ids) and l.since > now() - interval '2 minutes'
  );
begin
  return query
    select r.id, count(*)::integer
    from (
      select j.limited_tenant_id as id from jobrunner.jobs as j where j.limited_tenant_id = any (in_tenant_ids)
      union all
      select h.tenant_id
      from jobrunner.held_jobs() as h
      where v_fresh <> '{}' and h.tenant_id = any (v_fresh) and h.limited_tenant_id is null
    ) as r
    group by r.id;
end
$$;
comment on function jobrunner.running_of_tenants is 'How many jobs of tenants with max_running run now. Not for callers: pick_places.';
