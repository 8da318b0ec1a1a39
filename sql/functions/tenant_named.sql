create or replace function jobrunner.tenant_named(
  in_tenant text
) returns jobrunner.tenants
language plpgsql stable
set search_path = pg_catalog
as $$
-- The tenant of that name. Raises JR010 when there is none.
declare
  v_tenant jobrunner.tenants;
begin
  select t.* into v_tenant from jobrunner.tenants as t where t.name = in_tenant;
  if not found then
    raise exception 'no tenant is named ''%''', in_tenant using errcode = 'JR010';
  end if;
  return v_tenant;
end
$$;
comment on function jobrunner.tenant_named is 'The tenant of that name, or error JR010.';
