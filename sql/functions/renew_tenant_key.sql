create or replace function jobrunner.renew_tenant_key(
  in_tenant text
) returns boolean
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Asks for another key of a tenant: a worker, which alone has the key file, makes it and seals all its secrets anew,
-- within a minute. Returns false, and changes nothing, while that is asked for already, or the tenant has no key yet.
-- Raises JR010.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
begin
  update jobrunner.tenant_keys as k
  set renewal_asked_at = now()
  where k.tenant_id = v_tenant.id and k.retired_at is null and k.renewal_asked_at is null
    and not exists (
      select from jobrunner.tenant_keys as o
      where o.tenant_id = v_tenant.id and o.renewal_asked_at is not null
    );
  if not found then
    return false;
  end if;
  perform jobrunner.note_act('renew_tenant_key', in_tenant_id => v_tenant.id);
  return true;
end
$$;
comment on function jobrunner.renew_tenant_key is 'Asks the workers for another key of a tenant, with which all its secrets are sealed anew.';
