create or replace function jobrunner.rooms_of_tenants(
  in_tenant_ids bigint[]
) returns table (
  tenant_id bigint,
  room integer
)
language plpgsql volatile
set search_path = pg_catalog
set enable_seqscan = off
as $$
-- How many more jobs of tenants with max_running may run now. What a claim takes that began before a limit was set is not marked as
-- counted: while such a claim is under way there is no room, and until all that runs is marked, all of it is looked for.
-- Exact for who holds the tenants' rows of limited_tenants, in a statement of its own. Not for callers: pick_places, suspect_to_claim.
#variable_conflict use_column
begin
  if exists (select from jobrunner.limited_tenants as l where l.tenant_id = any (in_tenant_ids) and not l.is_settled) then
    perform jobrunner.settle_limits();
  end if;
  return query
    select t.id, greatest(0, case
        when l.is_settled then t.max_running - (select count(*) from jobrunner.jobs as j where j.limited_tenant_id = t.id)
        when l.claiming_worker_ids = '{}' then t.max_running - (select count(*) from jobrunner.held_jobs() as h where h.tenant_id = t.id)
        else 0
      end)::integer
    from jobrunner.tenants as t
    join jobrunner.limited_tenants as l on l.tenant_id = t.id
    where t.id = any (in_tenant_ids) and t.max_running is not null;
end
$$;
comment on function jobrunner.rooms_of_tenants is 'How many more jobs of tenants with max_running may run now. Not for callers: pick_places, suspect_to_claim.';
