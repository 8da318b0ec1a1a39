create or replace function jobrunner.add_tenant_key(
  in_tenant_id bigint,
  in_id bytea,
  in_public_key bytea,
  in_wrapped bytea,
  in_wrapped_by bytea
) returns boolean
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Gives a tenant its first key, which whoever has the key file has made and wrapped; in_wrapped null: it is kept
-- outside of the database. Returns false, and changes nothing, when the tenant has one to seal with, or is gone.
begin
  insert into jobrunner.tenant_keys (tenant_id, id, public_key, wrapped, wrapped_by)
  select t.id, in_id, in_public_key, in_wrapped, in_wrapped_by
  from jobrunner.tenants as t
  where t.id = in_tenant_id
  for key share
  on conflict (tenant_id) where retired_at is null do nothing;
  if not found then
    return false;
  end if;
  perform jobrunner.note_act('add_tenant_key', encode(in_id, 'hex'), in_tenant_id => in_tenant_id);
  return true;
end
$$;
comment on function jobrunner.add_tenant_key is 'Gives a tenant its first key.';
