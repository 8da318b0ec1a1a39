create or replace function jobrunner.put_secret(
  in_tenant_id bigint,
  in_user_id bigint,
  in_name text,
  in_sealed bytea
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Stores a sealed secret of a user, or of the tenant (user 0), and wakes the jobs that were parked for want of it.
-- Returns how many were woken. Raises JR011, and JR017, JR019 as check_sealed does.
-- Not for callers: set_secret.
begin
  -- Held to the end: a run that is refused meanwhile is not parked before the new secret is there to be seen
  -- (lock_ends).
  if in_user_id = 0 then
    perform from jobrunner.tenants as t where t.id = in_tenant_id for no key update;
  else
    perform from jobrunner.users as u where u.id = in_user_id and u.tenant_id = in_tenant_id for no key update;
    if not found then
      raise exception 'tenant % has no user %', in_tenant_id, in_user_id using errcode = 'JR011',
        hint = 'It was removed meanwhile.';
    end if;
  end if;
  return jobrunner.store_secret(in_tenant_id, in_user_id, in_name, in_sealed, now());
end
$$;
comment on function jobrunner.put_secret is 'Stores a sealed secret, whose owner is known by number. Not for callers: set_secret.';
