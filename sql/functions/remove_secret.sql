create or replace function jobrunner.remove_secret(
  in_tenant text,
  in_user text,
  in_name text
) returns boolean
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Removes a secret of a user, or of the tenant itself (user null or *), with the access tokens that came of it. Returns
-- whether there was one. A run that has read it already goes on with it to its end; what it is given for it is not
-- stored any more. A record of the source may bring the secret again. Raises JR010, JR011.
-- Locks as set_secret does: the row of the user or of the tenant, then secrets and renewals.
declare
  v_tenant_id bigint := (jobrunner.tenant_named(in_tenant)).id;
  v_user_id bigint := 0;
begin
  if coalesce(in_user, '*') = '*' then
    perform from jobrunner.tenants as t where t.id = v_tenant_id for no key update;
  else
    v_user_id := (jobrunner.user_named(in_tenant, in_user)).id;
    perform from jobrunner.users as u where u.id = v_user_id for no key update;
  end if;
  delete from jobrunner.secrets as s
  where s.user_id = v_user_id and s.tenant_id = v_tenant_id and s.name = in_name;
  if not found then
    return false;
  end if;
  -- A user's tokens may have come of the tenant's secret too.
  delete from jobrunner.renewals as r
  where r.tenant_id = v_tenant_id and (v_user_id = 0 or r.user_id = v_user_id);
  perform jobrunner.note_act('remove_secret', in_name, in_tenant_id => v_tenant_id, in_user_id => nullif(v_user_id, 0));
  return true;
end
$$;
comment on function jobrunner.remove_secret is 'Removes a secret of a user or a tenant, and the access tokens that came of it.';
