create or replace function jobrunner.make_jobs(
  in_tenant_id bigint,
  in_job text
) returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Makes the standing jobs of a job file that a tenant was given and lacks, due at once (MH26): one for each user, or for scope
-- tenant one under the row that stands for the tenant. Returns how many. Not for callers: give_job, store_job_file.
declare
  v_shared boolean := (select f.scope = 'tenant' from jobrunner.job_files as f where f.name = in_job);
  v_count integer;
begin
  -- add_user holds the tenant's row as well: either it sees the job, or its user is seen here.
  perform from jobrunner.tenants as t where t.id = in_tenant_id for no key update;
  if v_shared then
    perform jobrunner.stand_for_tenant(in_tenant_id);
  end if;
  insert into jobrunner.jobs (user_id, name, tenant_id, every, phase, deadline, due_at, slows_at, paused_at, paused_with_user)
  select u.id, f.name, u.tenant_id, p.every, jobrunner.phase_of(u.id, f.name, p.every, f.spread), f.deadline, now(),
    now() + f.slow_after, u.paused_at, u.paused_at is not null
  from jobrunner.users as u
  join jobrunner.job_files as f on f.name = in_job
  cross join lateral (select jobrunner.period_of(u.id, u.tenant_id, f.name, f.every) as every) as p
  where u.tenant_id = in_tenant_id and u.stands_for_tenant = v_shared
    -- The job may have been taken while this waited for the tenant's row.
    and exists (select from jobrunner.tenant_jobs as g where g.tenant_id = in_tenant_id and g.job_name = in_job)
  -- A user that is being removed gets none (remove_users): a foreign key would do, but each claim would pay for it. A
  -- schedule that is being changed is waited for (store_job_file).
  for key share of u for share of f
  on conflict do nothing;
  get diagnostics v_count = row_count;
  if v_count > 0 then
    perform jobrunner.wake_workers(now());
  end if;
  return v_count;
end
$$;
comment on function jobrunner.make_jobs is 'Makes the standing jobs of a job file that a tenant lacks.';
