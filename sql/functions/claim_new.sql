create or replace function jobrunner.claim_new(
  in_worker_id integer,
  in_limit integer,
  in_names text[],
  in_since timestamptz,
  in_since_user_id bigint,
  out due jobrunner.due_tenants,
  out jobs jobrunner.claimed_job[]
) returns record
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- The everyday claim: takes what became due from (in_since, in_since_user_id) on, if these are fewer than 1,000
-- entries, no more than in_limit jobs of these files, of no tenant that is paused or has a limit and of nobody who was
-- added with many. Otherwise it takes nothing, and says of which tenants something is due, as look_due does; so it does
-- of what somebody has locked.
-- Raises JR003 when the worker has been given up or drains. Locks: the worker's row (hold_worker), then jobs, by skip
-- locked. No indexed column of jobs is changed.
declare
  v_places tid[];
begin
  perform from jobrunner.workers as w
  where w.id = in_worker_id and w.ended_at is null and w.draining_at is null;
  if not found then
    raise exception 'worker % has ended or drains', in_worker_id using errcode = 'JR003';
  end if;
  due := jobrunner.look_due(in_names, in_since, in_since_user_id);
  if due.tenant_ids is null or due.is_cut or due.has_paused or -1 = any (due.lanes)
    or in_limit < (select sum(c.count) from unnest(due.counts) as c (count))
  then
    return;
  end if;
  perform jobrunner.hold_worker(in_worker_id);
  -- A statement of its own: it sees a limit or a pause that was set before the worker's row was held.
  if exists (
    select from jobrunner.restricted_tenants(due.tenant_ids) as t where t.max_running is not null
      or t.paused_at is not null
  ) then
    return;
  end if;
  v_places := array(
    select j.ctid
    from jobrunner.jobs as j
    where (j.claimable_at, j.user_id) >= (in_since, in_since_user_id) and j.claimable_at <= due.looked_at
      and j.state = 'waiting' and j.crashes < 2 and j.name = any (in_names) and j.priority >= 0
      -- Who was not asked about may have a limit. The sum keeps the planner from reading all that these tenants have.
      and j.tenant_id + 0 = any (due.tenant_ids)
    order by j.claimable_at, j.user_id
    limit in_limit
    for no key update skip locked
  );
  jobs := jobrunner.take_jobs(in_worker_id, v_places);
  if cardinality(jobs) = (select sum(c.count) from unnest(due.counts) as c (count)) then
    due.tenant_ids := null;
  end if;
end
$$;
comment on function jobrunner.claim_new is 'Gives a worker what became due, if it fits.';
