create or replace function jobrunner.tenant_named(
  in_tenant text
) returns jobrunner.tenants
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- The tenant of that name. Raises JR010 when there is none. For an application there is no other tenant than its own,
-- and for a login that is nobody's there is none at all.
declare
  v_own_id bigint := jobrunner.own_tenant_id();
  v_tenant jobrunner.tenants;
begin
  if v_own_id is null then
    raise exception 'login ''%'' is of no tenant', session_user using errcode = 'JR010',
      hint = 'jobrunner application add gives it to one.';
  end if;
  select t.* into v_tenant from jobrunner.tenants as t where t.name = in_tenant and v_own_id in (0, t.id);
  if not found then
    raise exception 'no tenant is named ''%''', in_tenant using errcode = 'JR010';
  end if;
  return v_tenant;
end
$$;
comment on function jobrunner.tenant_named is 'The tenant of that name, or error JR010; of an application its own alone.';
