create or replace function jobrunner.insert_jobs(
  in_user_ids bigint[],
  in_names text[] default null,
  in_within interval default '0',
  in_priority smallint default 0
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Makes the standing jobs that these users lack of those that their tenants were given, of the files in_names or of
-- all; returns how many. A job is due at once, or at random within in_within, at most 30 days. One of scope tenant is
-- only for the row that stands for its tenant.
-- Raises JR017 for a span out of bounds. Locks the users, and the schedules of the files. Not for callers: add_user,
-- add_users, make_jobs.
declare
  v_count integer;
begin
  if in_within not between interval '0' and interval '30 days' then
    raise exception 'a span of % is not from 0 to 30 days', in_within using errcode = 'JR017';
  end if;
  insert into jobrunner.jobs (
    user_id, name, tenant_id, every, phase, deadline, due_at, priority, slows_at, paused_at, paused_with_user,
      paused_with_file
  )
  select u.id, f.name, u.tenant_id, coalesce(p.every, f.every),
    jobrunner.phase_of(u.id, f.name, coalesce(p.every, f.every), f.spread), f.deadline,
      now() + random() * coalesce(in_within, '0'), in_priority,
    now() + f.slow_after, coalesce(u.paused_at, f.paused_at), u.paused_at is not null, u.paused_at is null
      and f.paused_at is not null
  from unnest(in_user_ids) as i (id)
  join jobrunner.users as u on u.id = i.id
  -- Read here and not before: the job may have been taken while the caller waited for the tenant's row.
  join jobrunner.tenant_jobs as t on t.tenant_id = u.tenant_id
  join jobrunner.job_files as f on f.name = t.job_name and (f.scope = 'tenant') = u.stands_for_tenant
  cross join lateral jobrunner.period_of(u.id, u.tenant_id, f.name) as p
  where (in_names is null or f.name = any (in_names))
    and not exists (select from jobrunner.jobs as j where j.user_id = u.id and j.name = f.name)
  -- A user that is being removed gets none (remove_users): a foreign key would do, but each claim would pay for it. A
  -- schedule that is being changed is waited for (store_job_file), and all of it is read from its row then.
  for key share of u for share of f;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
comment on function jobrunner.insert_jobs is 'Makes the standing jobs that users lack. Not for callers.';
