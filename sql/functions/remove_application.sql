create or replace function jobrunner.remove_application(
  in_login text
) returns void
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Takes a login from the tenant whose application it is: it is nobody's then, and can name no tenant. The role stays
-- the administrator's. Raises JR018 when it is no application.
declare
  v_tenant_id bigint;
begin
  delete from jobrunner.applications as a
  where a.login = in_login and jobrunner.own_tenant_id() in (0, a.tenant_id)
  returning a.tenant_id into v_tenant_id;
  if not found then
    raise exception 'login ''%'' is no application', in_login using errcode = 'JR018',
      hint = 'jobrunner application list has those that are.';
  end if;
  perform jobrunner.note_act('remove_application', in_login, in_tenant_id => v_tenant_id);
end
$$;
comment on function jobrunner.remove_application is 'Takes a login from the tenant whose application it is.';
