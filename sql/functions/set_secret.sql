create or replace function jobrunner.set_secret(
  in_tenant_id bigint,
  in_user_id bigint,
  in_name text,
  in_sealed bytea
) returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Stores a sealed secret of a user, or of the tenant (user 0), and wakes the jobs that were parked for want of it.
-- Returns how many were woken.
declare
  v_count integer;
begin
  insert into jobrunner.secrets as s (tenant_id, user_id, name, sealed)
  values (in_tenant_id, in_user_id, in_name, in_sealed)
  on conflict (user_id, tenant_id, name) do update set sealed = excluded.sealed, updated_at = now();
  -- Another secret may be another person's: whose it is has to be asked again (LU23).
  update jobrunner.call_memory as m
  set last_succeeded_at = '-infinity'
  from jobrunner.users as u
  where u.id = m.user_id and u.tenant_id = in_tenant_id and (in_user_id = 0 or u.id = in_user_id)
    and m.call = 'cloudkit.check_account';
  update jobrunner.jobs as j
  set reauth_needed_at = null,
    due_at = least(j.due_at, now()),
    untriggered_due_at = null
  where j.tenant_id = in_tenant_id and (in_user_id = 0 or j.user_id = in_user_id)
    and j.reauth_needed_at is not null;
  get diagnostics v_count = row_count;
  if v_count > 0 then
    perform jobrunner.wake_workers();
  end if;
  return v_count;
end
$$;
comment on function jobrunner.set_secret is 'Stores a sealed secret and wakes the jobs that were parked for want of it.';
