create or replace function jobrunner.resume_jobs(
  in_tenant text,
  in_user text default null,
  in_job text default null
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Ends a pause made with the same arguments; returns how many jobs go on. What is paused otherwise stays so.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_count integer;
  v_due integer;
  v_oldest timestamptz;
begin
  if in_user is null and in_job is null then
    update jobrunner.tenants as t set paused_at = null where t.id = v_tenant.id;
    select count(*), count(*) filter (where d.is_due), min(d.claimable_at) filter (where d.is_due) into v_count, v_due,
      v_oldest
    from (
      select j.claimable_at, j.claimable_at <= now() and j.state = 'waiting' as is_due
      from jobrunner.users as u
      join jobrunner.jobs as j on j.user_id = u.id
      where u.tenant_id = v_tenant.id
    ) as d;
    -- What became due while the tenant was paused lies where no worker looks any more.
    perform jobrunner.wake_workers(coalesce(v_oldest, now()), v_tenant.id, v_due);
    perform jobrunner.note_act('resume_jobs', null, jsonb_build_object('jobs', v_count), in_tenant);
    return v_count;
  end if;
  if in_job is null then
    update jobrunner.users as u set paused_at = null where u.tenant_id = v_tenant.id and u.key = in_user;
  end if;
  update jobrunner.jobs as j
  -- A job whose file is paused stays parked.
  set paused_at = f.paused_at,
    paused_with_user = false,
    paused_with_file = f.paused_at is not null,
    -- A run that is being stopped goes on, or another does.
    cancel_requested_at = case when f.paused_at is not null then j.cancel_requested_at end,
    -- What was passed while it was parked is where no worker looks any more.
    due_at = case when j.worker_id is null then greatest(j.due_at, now()) else j.due_at end
  from jobrunner.jobs_named(in_tenant, in_user, in_job) as named
  join jobrunner.job_files as f on f.name = named.name
  where j.user_id = named.user_id and j.name = named.name and j.paused_at is not null and not j.paused_with_file
    and (in_job is not null or j.paused_with_user);
  get diagnostics v_count = row_count;
  if v_count > 0 then
    perform jobrunner.wake_workers(now(), in_jobs => v_count);
  end if;
  perform jobrunner.note_act('resume_jobs', in_job, jsonb_build_object('jobs', v_count), in_tenant, in_user);
  return v_count;
end
$$;
comment on function jobrunner.resume_jobs is 'Ends a pause of a tenant, a user, or jobs.';
