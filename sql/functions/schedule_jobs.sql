create or replace function jobrunner.schedule_jobs(
  in_name text,
  in_tenant_id bigint default null,
  in_user_id bigint default null,
  in_after_user_id bigint default -1,
  in_limit integer default null
) returns table (
  last_user_id bigint,
  changed_count integer
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
-- Brings standing jobs of a job file to its schedule and to their tenants' and users' periods: all, a tenant's or a
-- user's, in the order of their users, after in_after_user_id and in_limit of them at most. last_user_id: the last it
-- came to; null: there are no more. A job that waits for its tick is not due later than the new schedule says; one that
-- backs off, was deferred or set aside waits as it did. Not for callers: store_job_file, set_period, jobrunner migrate.
declare
  v_walked integer;
  v_due integer;
  v_oldest timestamptz;
begin
  with walked as materialized (
    select j.user_id
    from jobrunner.jobs as j
    where j.name = in_name and j.user_id > in_after_user_id
      and (in_user_id is null or j.user_id = in_user_id)
      and (in_tenant_id is null
        or j.user_id in (select u.id from jobrunner.users as u where u.tenant_id = in_tenant_id))
    order by j.user_id
    limit in_limit
  ), wanted as materialized (
    select j.user_id, j.name, e.every, p.phase, f.deadline, f.slow_after,
      jobrunner.next_tick(now(), e.every, p.phase) as next_tick,
      f.slow_after is not null and j.slowed_at is not null as is_slow
    from walked as w
    join jobrunner.jobs as j on j.user_id = w.user_id and j.name = in_name
    join jobrunner.job_files as f on f.name = j.name
    cross join lateral jobrunner.period_of(j.user_id, j.tenant_id, j.name) as g
    cross join lateral (select coalesce(g.every, f.every) as own) as o
    cross join lateral (
      select case when f.slow_after is not null and j.slowed_at is not null then greatest(o.own, f.slow_every)
        else o.own end as every
    ) as e
    cross join lateral (select jobrunner.phase_of(j.user_id, j.name, e.every, f.spread) as phase) as p
    where (j.every, j.deadline, j.phase) is distinct from (e.every, f.deadline, p.phase)
      or (j.slows_at is null and j.slowed_at is null) is distinct from (f.slow_after is null)
    order by j.user_id
    for no key update of j
  ), changed as (
    update jobrunner.jobs as j
    set every = w.every,
      deadline = w.deadline,
      phase = w.phase,
      slows_at = case when not w.is_slow then least(j.slows_at, now() + w.slow_after) end,
      slowed_at = case when w.is_slow then j.slowed_at end,
      due_at = case
        when j.worker_id is not null or j.consecutive_failures > 0 or j.deferred_until > now()
          or j.quarantined_at is not null
        then j.due_at
        else least(j.due_at, w.next_tick)
      end,
      next_due_at = case when j.worker_id is not null then w.next_tick end
    from wanted as w
    where j.user_id = w.user_id and j.name = w.name
    returning j.claimable_at, j.state
  )
  select w.walked_count, w.last_user_id, c.changed_count, c.due_count, c.oldest
  into v_walked, last_user_id, changed_count, v_due, v_oldest
  from (select count(*) as walked_count, max(d.user_id) as last_user_id from walked as d) as w
  cross join (
    select count(*) as changed_count, count(*) filter (where d.is_due) as due_count,
      min(d.claimable_at) filter (where d.is_due) as oldest
    from (select x.claimable_at, x.claimable_at <= now() and x.state = 'waiting' as is_due from changed as x) as d
  ) as c;
  if in_limit is null or v_walked < in_limit then
    last_user_id := null;
  end if;
  if v_due > 0 or changed_count > 0 and clock_timestamp() > now() + interval '1 second' then
    -- Also what was due before: its rows have moved from where workers remember them. In a long transaction some of it
    -- may have become due since it began.
    perform jobrunner.wake_workers(coalesce(v_oldest, now()), in_jobs => nullif(v_due, 0));
  end if;
  return next;
end
$$;
comment on function jobrunner.schedule_jobs is 'Brings standing jobs to the schedule of their file, tenant and user. Not for callers.';
