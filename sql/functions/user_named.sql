create or replace function jobrunner.user_named(
  in_tenant text,
  in_user text
) returns jobrunner.users
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- The tenant's user of that key. Raises JR010 or JR011 when there is none.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_user jobrunner.users;
begin
  select u.* into v_user from jobrunner.users as u where u.tenant_id = v_tenant.id and u.key = in_user;
  if not found then
    raise exception 'tenant ''%'' has no user ''%''', in_tenant, in_user using errcode = 'JR011';
  end if;
  return v_user;
end
$$;
comment on function jobrunner.user_named is 'A tenant''s user of that key, or error JR010 or JR011.';
