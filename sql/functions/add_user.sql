create or replace function jobrunner.add_user(
  in_tenant text,
  in_key text,
  in_attributes jsonb default '{}'
) returns bigint
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Adds a user with a standing job for each of its tenant's jobs, due at once (MH26); returns its number.
-- Raises JR010, or JR013 when the key is taken or *, which stands for the tenant itself.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_id bigint;
begin
  if in_key = '*' then
    raise exception 'user key ''*'' stands for the tenant itself' using errcode = 'JR013';
  end if;
  -- Until the end no job is given to the tenant that this user would not get (make_jobs).
  perform from jobrunner.tenants as t where t.id = v_tenant.id for share;
  insert into jobrunner.users (tenant_id, key, attributes)
  values (v_tenant.id, in_key, in_attributes)
  on conflict (tenant_id, key) do nothing
  returning id into v_id;
  if v_id is null then
    raise exception 'tenant ''%'' has a user ''%'' already', in_tenant, in_key using errcode = 'JR013';
  end if;
  insert into jobrunner.jobs (user_id, name, tenant_id, every, phase, deadline, due_at, slows_at)
  select v_id, f.name, v_tenant.id, p.every, jobrunner.phase_of(v_id, f.name, p.every, f.spread), f.deadline, now(),
    now() + f.slow_after
  from jobrunner.tenant_jobs as t
  join jobrunner.job_files as f on f.name = t.job_name
  cross join lateral (select jobrunner.period_of(v_id, v_tenant.id, f.name, f.every) as every) as p
  where t.tenant_id = v_tenant.id and f.scope = 'user'
  -- A schedule that is being changed is waited for (store_job_file).
  for share of f;
  perform jobrunner.wake_workers(now());
  return v_id;
end
$$;
comment on function jobrunner.add_user is 'Adds a user and its standing jobs.';
