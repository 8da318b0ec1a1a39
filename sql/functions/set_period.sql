create or replace function jobrunner.set_period(
  in_tenant text,
  in_user text,
  in_job text,
  in_every interval
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Gives a user's job, or the job of all of a tenant's users (user null or *), a period of its own, from a second to 366
-- days; null takes it back. A user's comes before the tenant's, which comes before the job file's. Returns how many
-- jobs go by another schedule now. Raises JR010, JR011, JR012 when the tenant was not given the job, JR017 for a period
-- out of bounds.
-- Locks: the tenant's row, so that a user who is being added gets the period, then the job file's row, then the jobs.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_user_id bigint := 0;
  v_count integer;
begin
  if in_every not between interval '1 second' and interval '366 days' then
    raise exception 'a period of % is not from a second to 366 days', in_every using errcode = 'JR017';
  end if;
  if coalesce(in_user, '*') <> '*' then
    v_user_id := (jobrunner.user_named(in_tenant, in_user)).id;
  end if;
  perform from jobrunner.tenants as t where t.id = v_tenant.id for no key update;
  if not exists (select from jobrunner.tenant_jobs as g where g.tenant_id = v_tenant.id and g.job_name = in_job) then
    raise exception 'tenant ''%'' has no job ''%''', in_tenant, in_job using errcode = 'JR012';
  end if;
  perform from jobrunner.job_files as f where f.name = in_job for share;
  if in_every is null then
    delete from jobrunner.periods as p
    where p.tenant_id = v_tenant.id and p.user_id = v_user_id and p.job_name = in_job;
  else
    -- A user that is being removed gets none (remove_users).
    perform from jobrunner.users as u where u.id = v_user_id for key share;
    insert into jobrunner.periods as p (tenant_id, user_id, job_name, every)
    select v_tenant.id, v_user_id, in_job, in_every
    where v_user_id = 0 or exists (select from jobrunner.users as u where u.id = v_user_id)
    on conflict (user_id, tenant_id, job_name) do update
    set every = excluded.every, set_at = now();
  end if;
  select s.changed_count into v_count
  from jobrunner.schedule_jobs(in_job, v_tenant.id, nullif(v_user_id, 0)) as s;
  perform jobrunner.note_act('set_period', in_job, jsonb_build_object('every', in_every, 'jobs', v_count),
    in_tenant_id => v_tenant.id, in_user_id => nullif(v_user_id, 0));
  return v_count;
end
$$;
comment on function jobrunner.set_period is 'Gives a user''s job, or that of all users of a tenant, a period of its own; null takes it back.';
