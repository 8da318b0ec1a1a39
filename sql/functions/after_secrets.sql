create or replace function jobrunner.after_secrets(
  in_tenant_id bigint,
  in_user_ids bigint[],
  in_is_tenants boolean,
  in_job text default null
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- What follows for users when a secret was stored: the jobs that waited for one are due; returns how many.
-- in_is_tenants: the secret is the tenant's, and these are all its users. in_job: the job of the one user whose run
-- brings it. The caller has locked the jobs that wait. Not for callers: store_secret, add_secrets.
declare
  v_count integer;
  v_users bigint[];
  v_names text[];
  v_runs bigint[];
begin
  -- What came of the old secret is not used any more, and whoever renews it now keeps nothing. The run that brings one
  -- signs in with another and keeps its turn.
  delete from jobrunner.renewals as r
  where r.tenant_id = in_tenant_id and (in_is_tenants or r.user_id = any (in_user_ids))
    and (r.job_user_id = any (in_user_ids) and r.job_name = in_job) is not true;
  with parked as materialized (
    select j.user_id, j.name
    from jobrunner.jobs as j
    where jobrunner.awaits_secret(j) and j.user_id = any (in_user_ids)
    order by j.user_id, j.name
    for no key update
  ), woken as (
    update jobrunner.jobs as j
    set reauth_needed_at = null,
      -- A quarantine ends at due_at.
      due_at = case when j.quarantined_at is not null then j.due_at else now() end,
      untriggered_due_at = null,
      -- What it was put off for is over.
      deferred_until = case when j.last_error_kind = 'no_key' then null else j.deferred_until end
    from parked as p
    where j.user_id = p.user_id and j.name = p.name
    returning j.user_id, j.name, j.fence
  )
  select count(*), array_agg(w.user_id), array_agg(w.name), array_agg(w.fence)
  into v_count, v_users, v_names, v_runs
  from woken as w;
  -- Another secret may be another person's: whose it is has to be asked again. After the jobs, as
  -- reset_jobs and take_job lock them.
  update jobrunner.call_memory as m
  set last_succeeded_at = '-infinity'
  where m.user_id = any (in_user_ids) and m.call = 'cloudkit.check_account';
  if v_count > 0 then
    if jobrunner.tells_of('trouble') then
      perform jobrunner.tell_events('recovering', v_users, v_names, v_runs);
    end if;
    perform jobrunner.wake_workers(now(), in_jobs => v_count);
  end if;
  return v_count;
end
$$;
comment on function jobrunner.after_secrets is 'Wakes the jobs that a new secret lets go on. Not for callers: store_secret, add_secrets.';
