create or replace function jobrunner.add_application(
  in_tenant text,
  in_login text
) returns boolean
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Makes a login of the server an application of the tenant: what it calls and reads is the tenant's from then on.
-- Returns false when it is that already. Raises JR010, JR013 for a login that is another tenant's, and JR018 for one
-- that the server does not have or that nothing would bind. Such a one is a superuser, passes row security, may make
-- roles, or is a member of the owner, of workers, operators or readers, or of a role that PostgreSQL comes with.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_role pg_roles;
  v_group text;
begin
  select r.* into v_role from pg_roles as r where r.rolname = in_login;
  if not found then
    raise exception 'the server has no role ''%''', in_login using errcode = 'JR018',
      hint = format('An administrator makes it: create role %I login.', in_login);
  end if;
  if v_role.rolsuper or v_role.rolbypassrls or v_role.rolcreaterole then
    raise exception 'role ''%'' %, so that nothing would keep it to one tenant', in_login, case
        when v_role.rolsuper then 'is a superuser'
        when v_role.rolbypassrls then 'passes row security'
        else 'may make roles'
      end
      using errcode = 'JR018', hint = 'An application logs in as a role of its own that may do nothing else.';
  end if;
  select r.rolname into v_group
  from pg_roles as r
  where (r.oid = (select n.nspowner from pg_namespace as n where n.nspname = 'jobrunner')
      or r.rolname in (select k.name from jobrunner.roles as k where k.kind <> 'application')
      or r.rolname like 'pg\_%')
    and pg_has_role(v_role.oid, r.oid, 'member')
  order by r.rolname
  limit 1;
  if found then
    raise exception 'role ''%'' is a member of ''%'', and so every tenant''s', in_login, v_group
      using errcode = 'JR018',
      hint = 'An application logs in as a role of its own that may do nothing else.';
  end if;
  insert into jobrunner.applications (login, tenant_id) values (in_login, v_tenant.id) on conflict (login) do nothing;
  if found then
    perform jobrunner.note_act('add_application', in_login, in_tenant_id => v_tenant.id);
    return true;
  end if;
  if exists (select from jobrunner.applications as a where a.login = in_login and a.tenant_id <> v_tenant.id) then
    raise exception 'login ''%'' is an application of another tenant', in_login using errcode = 'JR013',
      hint = 'Remove it there first.';
  end if;
  return false;
end
$$;
comment on function jobrunner.add_application is 'Makes a login of the server an application of a tenant.';
