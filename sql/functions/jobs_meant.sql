create or replace function jobrunner.jobs_meant(
  in_tenant text,
  in_user text default null,
  in_job text default null,
  in_source text default null,
  in_kind text default null,
  in_most integer default 10001
) returns table (
  user_id bigint,
  user_key text,
  job text
)
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- The jobs that a filter of the pages means, in_most at most: of a tenant, and of these those of a user, of a job file,
-- of a source, or those that have a cause (a kind of cause_kinds, as view causes counts them). What is null is not
-- asked. Raises JR010, JR011. Whoever may look may ask, so that it is not asked whose tenant that is: no application
-- may call it.
#variable_conflict use_column
declare
  v_tenant_id constant bigint := (select t.id from jobrunner.tenants as t where t.name = in_tenant);
  v_user_id bigint;
  v_names text[];
  -- As jobs_by_cause has them; null: those that are set aside, of whatever kind their last error is.
  v_kinds text[] := case in_kind
    when 'quarantined' then null
    when 'unavailable' then array['unavailable', 'breaker_open']
    when 'stalled' then array['']
    else array[in_kind]
  end;
begin
  if v_tenant_id is null then
    raise exception 'no tenant is named ''%''', in_tenant using errcode = 'JR010';
  end if;
  if in_user is not null then
    select u.id into v_user_id from jobrunner.users as u where u.tenant_id = v_tenant_id and u.key = in_user;
    if not found then
      raise exception 'tenant ''%'' has no user ''%''', in_tenant, in_user using errcode = 'JR011';
    end if;
  end if;
  v_names := array(
    select f.name from jobrunner.job_files as f
    where (in_job is null or f.name = in_job) and (in_source is null or f.source = in_source)
  );
  if in_kind = 'quarantined' then
    return query
      select j.user_id, u.key, j.name
      from jobrunner.jobs as j
      join jobrunner.users as u on u.id = j.user_id
      where j.quarantined_at is not null and j.tenant_id = v_tenant_id and j.name = any (v_names)
        and (v_user_id is null or j.user_id = v_user_id)
      limit in_most;
  elsif in_kind is not null then
    return query
      select j.user_id, u.key, j.name
      from jobrunner.jobs as j
      join jobrunner.users as u on u.id = j.user_id
      where (
          j.consecutive_failures > 0 or j.quarantined_at is not null or j.reauth_needed_at is not null
          or j.stalled_runs > 1
          or j.deferrals > 4 or j.last_error_kind in ('breaker_open', 'database', 'no_key')
        ) and j.tenant_id = v_tenant_id and j.name = any (v_names)
        and coalesce(j.last_error_kind, '') = any (v_kinds) and j.quarantined_at is null
        and (v_user_id is null or j.user_id = v_user_id)
      limit in_most;
  elsif v_user_id is not null then
    return query
      select j.user_id, in_user, j.name
      from jobrunner.jobs as j
      where j.user_id = v_user_id and j.name = any (v_names)
      limit in_most;
  else
    return query
      select j.user_id, u.key, j.name
      from jobrunner.jobs as j
      join jobrunner.users as u on u.id = j.user_id
      where j.tenant_id = v_tenant_id and j.name = any (v_names)
      limit in_most;
  end if;
end
$$;
comment on function jobrunner.jobs_meant is 'The jobs that a filter of the pages means.';
