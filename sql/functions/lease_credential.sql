create or replace function jobrunner.lease_credential(
  in_tenant_id bigint,
  in_user_id bigint,
  in_credential text,
  in_refused bytea,
  in_ms bigint,
  in_job_user_id bigint,
  in_job_name text,
  in_fence bigint
) returns table (
  lease uuid,
  access_token bytea,
  good_for_ms bigint,
  secrets text
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Asks to be the one that renews a credential, for at most in_ms; a run's lease also ends with the run. lease: the
-- caller may, with these secrets, which are those of now; null: access_token is good, or somebody else renews it.
-- in_refused: the access token that the source would not take; no caller gets it again.
declare
  v_lease uuid := gen_random_uuid();
begin
  insert into jobrunner.renewals as r (
    tenant_id, user_id, credential, lease, leased_until, job_user_id, job_name, fence
  )
  values (
    in_tenant_id, in_user_id, in_credential, v_lease, clock_timestamp() + in_ms * interval '1 millisecond',
    in_job_user_id, in_job_name, in_fence
  )
  on conflict (user_id, tenant_id, credential) do update
  set lease = excluded.lease, leased_until = excluded.leased_until, job_user_id = excluded.job_user_id,
    job_name = excluded.job_name, fence = excluded.fence, access_token = null, good_until = null
  where (r.access_token is null or r.good_until <= clock_timestamp() or r.access_token = in_refused)
    and (
      r.lease is null
      or r.leased_until <= clock_timestamp()
      -- A run that holds it asks again.
      or (r.job_user_id, r.job_name, r.fence) = (in_job_user_id, in_job_name, in_fence)
      or r.fence is not null and not exists (
        select from jobrunner.jobs as j
        where j.user_id = r.job_user_id and j.name = r.job_name and j.fence = r.fence and j.state = 'running'
      )
    );
  -- Read after the row's lock is held: whoever renewed the credential before has stored what came of it.
  return query
    select
      case when r.lease = v_lease then r.lease end,
      case when r.good_until > clock_timestamp() and r.access_token is distinct from in_refused then r.access_token end,
      (extract(epoch from r.good_until - clock_timestamp()) * 1000)::bigint,
      case when r.lease = v_lease then jobrunner.sealed_secrets(in_tenant_id, in_user_id) end
    from jobrunner.renewals as r
    where r.user_id = in_user_id and r.tenant_id = in_tenant_id and r.credential = in_credential;
end
$$;
comment on function jobrunner.lease_credential is
  'Asks to be the one that renews a credential; tells the access token that another has brought.';
