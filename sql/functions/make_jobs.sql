create or replace function jobrunner.make_jobs(
  in_tenant_id bigint,
  in_job text,
  in_within interval default null
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Makes the standing jobs of a job file that a tenant was given and lacks: one for each user, or for scope tenant one
-- under the row that stands for the tenant. They are due at once, or at random within in_within, in the lane of those
-- who are new.
-- Returns how many. Not for callers: give_job, store_job_file.
declare
  v_shared boolean := (select f.scope = 'tenant' from jobrunner.job_files as f where f.name = in_job);
  v_count integer;
begin
  -- add_user holds the tenant's row as well: either it sees the job, or its user is seen here.
  perform from jobrunner.tenants as t where t.id = in_tenant_id for no key update;
  if v_shared then
    perform jobrunner.stand_for_tenant(in_tenant_id);
  end if;
  v_count := jobrunner.insert_jobs(
    array(
      select u.id from jobrunner.users as u
      where u.tenant_id = in_tenant_id and u.stands_for_tenant = v_shared
      order by u.id
    ),
    array[in_job],
    in_within,
    case when in_within is null then 0::smallint else -1::smallint end
  );
  if v_count > 0 then
    -- Of what is spread nobody knows how much is due now.
    perform jobrunner.wake_workers(now(), in_jobs => case when in_within is null then v_count end);
  end if;
  return v_count;
end
$$;
comment on function jobrunner.make_jobs is 'Makes the standing jobs of a job file that a tenant lacks.';
