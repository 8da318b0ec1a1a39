create or replace function jobrunner.store_secret(
  in_tenant_id bigint,
  in_user_id bigint,
  in_name text,
  in_sealed bytea,
  in_since timestamptz,
  in_job text default null
) returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Stores a sealed secret, which counts from in_since on, and wakes the jobs that were parked for want of it; returns how
-- many. The caller holds the row of the user, or that of the tenant. Not for callers: set_secret, bring_secret.
-- in_job: the user's job whose run brings the secret; null: a person sets it.
-- Locks parked jobs before secrets and renewals, which is the order of a run's page.
declare
  v_count integer;
  v_users constant bigint[] := case
    when in_user_id <> 0 then array[in_user_id]
    else array(select u.id from jobrunner.users as u where u.tenant_id = in_tenant_id)
  end;
begin
  perform
  from jobrunner.jobs as j
  where j.reauth_needed_at is not null and j.user_id = any (v_users)
  order by j.user_id, j.name
  for no key update;
  insert into jobrunner.secrets as s (tenant_id, user_id, name, sealed, current_since)
  values (in_tenant_id, in_user_id, in_name, in_sealed, in_since)
  on conflict (user_id, tenant_id, name) do update
  set sealed = excluded.sealed, updated_at = now(), current_since = excluded.current_since,
    version = nextval('jobrunner.secret_versions');
  -- What came of the old secret is not used any more, and whoever renews it now keeps nothing. The run that brings this
  -- one signs in with another and keeps its turn.
  delete from jobrunner.renewals as r
  where r.tenant_id = in_tenant_id and (in_user_id = 0 or r.user_id = in_user_id)
    and (r.job_user_id = in_user_id and r.job_name = in_job) is not true;
  with parked as materialized (
    select j.user_id, j.name
    from jobrunner.jobs as j
    where j.reauth_needed_at is not null and j.user_id = any (v_users)
    order by j.user_id, j.name
    for no key update
  )
  update jobrunner.jobs as j
  set reauth_needed_at = null,
    -- A quarantine ends at due_at.
    due_at = case when j.quarantined_at is not null then j.due_at else now() end,
    untriggered_due_at = null
  from parked as p
  where j.user_id = p.user_id and j.name = p.name;
  get diagnostics v_count = row_count;
  -- Another secret may be another person's: whose it is has to be asked again. After the jobs, as
  -- reset_jobs and take_job lock them.
  update jobrunner.call_memory as m
  set last_succeeded_at = '-infinity'
  from jobrunner.users as u
  where u.id = m.user_id and u.tenant_id = in_tenant_id and (in_user_id = 0 or u.id = in_user_id)
    and m.call = 'cloudkit.check_account';
  if v_count > 0 then
    perform jobrunner.wake_workers(now(), in_jobs => v_count);
  end if;
  return v_count;
end
$$;
comment on function jobrunner.store_secret is
  'Stores a sealed secret and wakes parked jobs. Not for callers: set_secret, bring_secret.';
