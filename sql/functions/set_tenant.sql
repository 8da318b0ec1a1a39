create or replace function jobrunner.set_tenant(
  in_name text,
  in_weight integer default null,
  in_max_running integer default null,
  in_unlimited boolean default false
) returns void
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Changes a tenant's weight or limit; null leaves as it is, in_unlimited takes the limit away. Raises JR010.
-- What runs already counts towards a new limit, also what a claim takes that is under way (activate_limits).
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_name);
begin
  update jobrunner.tenants as t
  set weight = coalesce(in_weight, t.weight),
    max_running = case when not in_unlimited then coalesce(in_max_running, t.max_running) end
  where t.id = v_tenant.id;
  perform jobrunner.wake_workers(in_tenant_id => v_tenant.id);
  perform jobrunner.note_act('set_tenant', in_name, jsonb_build_object('weight', in_weight,
    'max_running', in_max_running, 'unlimited', nullif(in_unlimited, false)), in_tenant_id => v_tenant.id);
end
$$;
comment on function jobrunner.set_tenant is 'Changes a tenant''s weight or limit.';
