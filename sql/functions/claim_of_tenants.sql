create or replace function jobrunner.claim_of_tenants(
  in_worker_id integer,
  in_limit integer,
  in_names text[],
  in_tenant_ids bigint[],
  in_shares integer[],
  in_new_shares integer[],
  in_times timestamptz[],
  in_user_ids bigint[],
  out restricted jobrunner.remaining_capacity[],
  out jobs jobrunner.claimed_job[]
) returns record
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Takes up to in_limit due jobs of these files from these tenants, in their order: of each up to its share the oldest,
-- those that were asked for first and those of users who were added with many last, of these up to in_new_shares. Of
-- each tenant in_times and in_user_ids hold three floors, for the lanes 1, 0 and -1: nothing of the lane waits before
-- it; infinity: nothing of it waits.
-- restricted tells of tenants that are paused or have a limit how many more they may run, and why no more.
-- Raises JR003 as claim_new does. Locks: the worker's row, rows of limited_tenants, then jobs, both by skip locked.
declare
  v_places tid[];
begin
  perform jobrunner.hold_worker(in_worker_id);
  restricted := array(select c from jobrunner.remaining_capacity(in_tenant_ids) as c);
  v_places := array(
    select l.ctid
    from unnest(in_tenant_ids, in_shares, in_new_shares) with ordinality as t (id, share, new_share, number)
    cross join lateral (
      select j.ctid
      from unnest(
        array[1, 0, -1]::smallint[], in_times[3 * t.number - 2 : 3 * t.number],
          in_user_ids[3 * t.number - 2 : 3 * t.number]
      ) as f (lane, since, since_user_id)
      cross join lateral (
        -- One at a time, so that what lies behind a share is not locked. By rows and not by columns, or the planner
        -- takes jobs_due for as good where most jobs are one tenant's.
        select j.ctid
        from jobrunner.jobs as j
        where (j.tenant_id, j.priority, j.claimable_at, j.user_id) >= (t.id, f.lane, f.since, f.since_user_id)
          and (j.tenant_id, j.priority, j.claimable_at) <= (t.id, f.lane, now())
          and j.state = 'waiting' and j.crashes < 2 and j.name = any (in_names)
        order by j.tenant_id, j.priority, j.claimable_at, j.user_id
        limit case when f.lane = -1 then t.new_share else t.share end
        for no key update skip locked
      ) as j
      where f.since < 'infinity'
      limit least(t.share, (select r.room from unnest(restricted) as r where r.tenant_id = t.id))
    ) as l
    limit in_limit
  );
  jobs := jobrunner.take_jobs(in_worker_id, v_places);
  if restricted <> '{}' then
    insert into jobrunner.limited_runs (tenant_id, user_id, name, fence)
    select j.tenant_id, j.user_id, j.name, j.fence
    from unnest(jobs) as j
    join unnest(restricted) as r on r.tenant_id = j.tenant_id
    where r.state = 'limited';
  end if;
end
$$;
comment on function jobrunner.claim_of_tenants is 'Gives a worker the oldest due jobs of some tenants.';
