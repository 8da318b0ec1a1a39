create or replace function jobrunner.pause_jobs(
  in_tenant text,
  in_user text default null,
  in_job text default null
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Pauses a tenant (user and job null), a user (job null), one job of all users, or one job; returns how many jobs
-- it holds back. A run in progress is asked to stop at once, with what is committed kept.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_count integer;
begin
  if in_user is null and in_job is null then
    update jobrunner.tenants as t set paused_at = coalesce(t.paused_at, now()) where t.id = v_tenant.id;
    perform jobrunner.stop_jobs(in_tenant, null, null);
    select count(*) into v_count
    from jobrunner.users as u
    join jobrunner.jobs as j on j.user_id = u.id
    where u.tenant_id = v_tenant.id;
    perform jobrunner.note_act('pause_jobs', null, jsonb_build_object('jobs', v_count), in_tenant);
    return v_count;
  end if;
  if in_job is null then
    update jobrunner.users as u set paused_at = coalesce(u.paused_at, now())
    where u.tenant_id = v_tenant.id and u.key = in_user;
  end if;
  perform from jobrunner.jobs_named(in_tenant, in_user, in_job);
  update jobrunner.jobs as j
  set paused_at = now(),
    paused_with_user = in_job is null,
    cancel_requested_at = case when j.worker_id is not null then coalesce(j.cancel_requested_at, now()) end
  from jobrunner.jobs_named(in_tenant, in_user, in_job) as named
  where j.user_id = named.user_id and j.name = named.name and j.paused_at is null;
  get diagnostics v_count = row_count;
  perform jobrunner.notify('jobrunner_stop', '', in_fullest => 0.01);
  perform jobrunner.note_act('pause_jobs', in_job, jsonb_build_object('jobs', v_count), in_tenant, in_user);
  return v_count;
end
$$;
comment on function jobrunner.pause_jobs is 'Pauses a tenant, a user, or jobs; a run in progress stops.';
