create or replace function jobrunner.store_secret(
  in_tenant_id bigint,
  in_user_id bigint,
  in_name text,
  in_sealed bytea,
  in_since timestamptz,
  in_job text default null
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Stores a sealed secret, which counts from in_since on, and wakes the jobs that wait for one (awaits_secret); returns
-- how many. Raises JR017, JR019 as check_sealed does. The caller holds the row of the user, or that of
-- the tenant.
-- Not for callers: set_secret, bring_secret.
-- in_job: the user's job whose run brings the secret; null: a person sets it.
-- Locks parked jobs before secrets and renewals, which is the order of a run's page.
declare
  v_users constant bigint[] := case
    when in_user_id <> 0 then array[in_user_id]
    else array(select u.id from jobrunner.users as u where u.tenant_id = in_tenant_id)
  end;
begin
  perform jobrunner.check_sealed(in_tenant_id, in_name, in_sealed);
  perform
  from jobrunner.jobs as j
  where jobrunner.awaits_secret(j) and j.user_id = any (v_users)
  order by j.user_id, j.name
  for no key update;
  insert into jobrunner.secrets as s (tenant_id, user_id, name, sealed, current_since, is_brought)
  values (in_tenant_id, in_user_id, in_name, in_sealed, in_since, in_job is not null)
  on conflict (user_id, tenant_id, name) do update
  set sealed = excluded.sealed, updated_at = now(), current_since = excluded.current_since,
    is_brought = excluded.is_brought, version = nextval('jobrunner.secret_versions'),
    revision = nextval('jobrunner.secret_versions');
  return jobrunner.after_secrets(in_tenant_id, v_users, in_user_id = 0, in_job);
end
$$;
comment on function jobrunner.store_secret is
  'Stores a sealed secret and wakes parked jobs. Not for callers: set_secret, bring_secret.';
