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
begin
  perform jobrunner.tenant_named(in_name);
  update jobrunner.tenants as t
  set weight = coalesce(in_weight, t.weight),
    max_running = case when not in_unlimited then coalesce(in_max_running, t.max_running) end
  where t.name = in_name;
end
$$;
comment on function jobrunner.set_tenant is 'Changes a tenant''s weight or limit.';
