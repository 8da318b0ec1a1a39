create or replace function jobrunner.jobs_named(
  in_tenant text,
  in_user text,
  in_job text
) returns setof jobrunner.jobs
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- The jobs an operator means, locked in key order: user null: of all users; job null: all jobs.
-- Raises JR010, JR011 or JR012 when nothing of that name exists.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_user_id bigint;
begin
  if in_user is not null then
    v_user_id := (jobrunner.user_named(in_tenant, in_user)).id;
  end if;
  if in_job is not null and not exists (
    select from jobrunner.tenant_jobs as t where t.tenant_id = v_tenant.id and t.job_name = in_job
  ) then
    raise exception 'tenant ''%'' has no job ''%''', in_tenant, in_job using errcode = 'JR012',
      hint = coalesce((
        select 'Its jobs are ' || string_agg(t.job_name, ', ' order by t.job_name) || '.'
        from jobrunner.tenant_jobs as t where t.tenant_id = v_tenant.id
      ), 'It has none yet.');
  end if;
  if v_user_id is not null then
    return query
      select j.* from jobrunner.jobs as j
      where j.user_id = v_user_id and (in_job is null or j.name = in_job)
      order by j.user_id, j.name
      for no key update;
  else
    return query
      select j.* from jobrunner.jobs as j
      where j.user_id = any (array(select u.id from jobrunner.users as u where u.tenant_id = v_tenant.id))
        and (in_job is null or j.name = in_job)
      order by j.user_id, j.name
      for no key update;
  end if;
end
$$;
comment on function jobrunner.jobs_named is 'The jobs an operator means by tenant, user and job name, locked.';
