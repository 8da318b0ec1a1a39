create or replace function jobrunner.set_secret(
  in_tenant text,
  in_user text,
  in_name text,
  in_sealed bytea
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Stores a sealed secret of a user, or of the tenant itself (user null or *), and wakes the jobs that were parked for
-- want of it. Returns how many were woken. Whoever may call it can seal (sealing_key); the user's key, the secret's
-- name and where it may be sent stand in the seal. Raises JR010, JR011, JR017 for what is no seal by its form, and
-- JR019 for one with another key than the tenant's present one.
declare
  v_tenant_id bigint := (jobrunner.tenant_named(in_tenant)).id;
  v_user_id bigint := 0;
  v_woken integer;
begin
  if coalesce(in_user, '*') <> '*' then
    v_user_id := (jobrunner.user_named(in_tenant, in_user)).id;
  end if;
  v_woken := jobrunner.put_secret(v_tenant_id, v_user_id, in_name, in_sealed);
  perform jobrunner.note_act('set_secret', in_name, in_tenant_id => v_tenant_id, in_user_id => nullif(v_user_id, 0));
  return v_woken;
end
$$;
comment on function jobrunner.set_secret is 'Stores a sealed secret and wakes the jobs that were parked for want of it.';
