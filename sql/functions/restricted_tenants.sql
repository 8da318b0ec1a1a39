create or replace function jobrunner.restricted_tenants(
  in_tenant_ids bigint[]
) returns setof jobrunner.tenants
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Those of the tenants that are paused, or have a limit or a weight. Where none with a number between theirs is, one
-- look at the index tells.
-- Not for callers: the verbs that claim.
begin
  if in_tenant_ids is null or not exists (
    select
    from jobrunner.tenants as t
    where (t.paused_at is not null or t.max_running is not null or t.weight <> 1)
      and t.id between (select min(i.id) from unnest(in_tenant_ids) as i (id))
        and (select max(i.id) from unnest(in_tenant_ids) as i (id))
  ) then
    return;
  end if;
  return query
    select t.*
    from jobrunner.tenants as t
    where t.id = any (array(select distinct i.id from unnest(in_tenant_ids) as i (id)))
      and (t.paused_at is not null or t.max_running is not null or t.weight <> 1);
end
$$;
comment on function jobrunner.restricted_tenants is 'Tenants that are paused, or have a limit or a weight. Not for callers: the verbs that claim.';
