create or replace function jobrunner.set_tenant(
  in_name text,
  in_weight integer default null,
  in_max_running integer default null,
  in_unlimited boolean default false
) returns void
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Changes a tenant's weight or limit; null leaves as it is, in_unlimited takes the limit away. Raises JR010.
-- What runs already counts towards a new limit.
declare
  v_before integer := (jobrunner.tenant_named(in_name)).max_running;
  v_tenant jobrunner.tenants;
begin
  update jobrunner.tenants as t
  set weight = coalesce(in_weight, t.weight),
    max_running = case when not in_unlimited then coalesce(in_max_running, t.max_running) end
  where t.name = in_name
  returning * into v_tenant;
  if (v_before is null) <> (v_tenant.max_running is null) then
    update jobrunner.jobs as j
    set limited_tenant_id = case when v_tenant.max_running is not null then j.tenant_id end
    from jobrunner.held_jobs() as h
    where h.tenant_id = v_tenant.id and j.user_id = h.user_id and j.name = h.name and j.worker_id is not null;
  end if;
  perform jobrunner.wake_workers();
end
$$;
comment on function jobrunner.set_tenant is 'Changes a tenant''s weight or limit.';
