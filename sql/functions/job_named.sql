create or replace function jobrunner.job_named(
  in_tenant text,
  in_user text,
  in_job text
) returns jobrunner.jobs
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
-- One job, its row locked: of a user or, for a job of scope tenant, of the tenant (user null or *).
-- Raises JR010, JR011, JR012. No sequential scans: a session keeps the plan that it made while the tables were small.
declare
  v_own_id bigint := jobrunner.own_tenant_id();
  v_shared boolean;
  v_job jobrunner.jobs;
begin
  select j.* into v_job
  from jobrunner.tenants as t
  join jobrunner.users as u on u.tenant_id = t.id and u.key = coalesce(in_user, '*')
  join jobrunner.jobs as j on j.user_id = u.id and j.name = in_job
  where t.name = in_tenant and v_own_id in (0, t.id)
  for no key update of j;
  if found then
    return v_job;
  end if;

  -- Which of the names is wrong, or what became of the job while somebody held it.
  v_shared := coalesce((select f.scope = 'tenant' from jobrunner.job_files as f where f.name = in_job), false);
  if in_user is null and not v_shared then
    perform jobrunner.tenant_named(in_tenant);
    raise exception 'job ''%'' is each user''s own', in_job using errcode = 'JR011', hint = 'Name a user.';
  end if;
  select j.* into v_job from jobrunner.jobs_named(in_tenant, coalesce(in_user, '*'), in_job) as j;
  if not found then
    raise exception 'user ''%'' has no job ''%''', in_user, in_job using errcode = 'JR012',
      hint = case
        when v_shared then 'It is the tenant''s: leave the user out.'
        else 'The user was removed, or its job is missing: jobrunner migrate makes missing ones.'
      end;
  end if;
  return v_job;
end
$$;
comment on function jobrunner.job_named is 'One user''s or the tenant''s job of that name, locked.';
