create or replace function jobrunner.replace_tenant_key(
  in_tenant_id bigint,
  in_id bytea,
  in_public_key bytea,
  in_wrapped bytea,
  in_wrapped_by bytea,
  in_replaced bytea
) returns boolean
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- From now on the tenant seals with this key in place of in_replaced; what is sealed with that one waits for seal_anew.
-- Returns false, and changes nothing, when the tenant seals with another key by now, or is gone.
begin
  update jobrunner.tenant_keys as k
  set retired_at = now()
  where k.tenant_id = in_tenant_id and k.retired_at is null and k.id = in_replaced;
  if not found then
    return false;
  end if;
  insert into jobrunner.tenant_keys (tenant_id, id, public_key, wrapped, wrapped_by)
  values (in_tenant_id, in_id, in_public_key, in_wrapped, in_wrapped_by);
  perform jobrunner.note_act('replace_tenant_key', encode(in_id, 'hex'), in_tenant_id => in_tenant_id);
  return true;
end
$$;
comment on function jobrunner.replace_tenant_key is 'Makes another key the one that a tenant seals with.';
