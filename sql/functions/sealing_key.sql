create or replace function jobrunner.sealing_key(
  in_tenant text
) returns table (
  prefix bytea,
  public_key bytea
)
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- What the secrets of a tenant are sealed with: a seal is prefix, followed by what libsodium's crypto_box_seal makes of
-- the secret for public_key. Whoever has this can seal, and can open nothing.
-- Raises JR010, and JR019 while no worker has made the tenant's key.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
begin
  return query
    select '\x02'::bytea || k.id, k.public_key
    from jobrunner.tenant_keys as k
    where k.tenant_id = v_tenant.id and k.retired_at is null;
  if not found then
    raise exception 'tenant ''%'' has no key yet', in_tenant
      using errcode = 'JR019', hint = 'A worker that has a key file makes it, within a minute.';
  end if;
end
$$;
comment on function jobrunner.sealing_key is 'What the secrets of a tenant are sealed with, by anybody who may set them.';
