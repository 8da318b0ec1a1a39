create or replace function jobrunner.claim_jobs(
  in_worker_id integer,
  in_limit integer,
  in_names text[],
  in_since timestamptz default '-infinity',
  in_tenant_ids bigint[] default '{}',
  in_running integer[] default '{}',
  in_tenant_since timestamptz[] default '{}'
) returns setof jobrunner.claimed_job
language plpgsql volatile
set search_path = pg_catalog
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Claims up to in_limit due jobs of the named job files, fair between tenants by weight and by what the worker runs of
-- each already (in_tenant_ids, in_running); nothing due: no rows. Raises JR003 when the worker has been given up.
-- in_since: nothing that waits has been due for longer, so that what lies below it in the index, dead or running, is not
-- walked; in_tenant_since: the same of each tenant in in_tenant_ids, null: in_since. oldest_due finds what they miss.
-- A tenant with less due than its share leaves the rest to the next claim.
-- A job that may have killed two workers (crash_runs) is given to a worker that holds no other such job.
-- Locks: for tenants with max_running their advisory locks, in id order, while their running jobs are counted; the
-- worker's row, so that the worker can't be given up, and its jobs looked for, while this claim is under way; jobs by
-- skip locked. No indexed column is changed, so that claims are HOT updates.
declare
  v_limited bigint[];
  v_tenants bigint[];
  v_since timestamptz[];
  v_shares integer[];
  v_left bigint[];
  v_asked boolean;
  v_limit integer := in_limit;
  v_suspect tid;
  v_suspect_tenant bigint;
  v_nonce uuid := gen_random_uuid();
begin
  perform from jobrunner.workers where id = in_worker_id and ended_at is null and draining_at is null;
  if not found then
    raise exception 'worker % has ended or drains', in_worker_id using errcode = 'JR003';
  end if;
  -- Counted below under the locks: another worker may be claiming (max_running is never exceeded).
  select array_agg(t.id order by t.id) into v_limited from jobrunner.tenants as t where t.max_running is not null;
  perform pg_advisory_xact_lock(1246907731, l.id::integer) from unnest(v_limited) as l (id);

  if not exists (select from jobrunner.jobs as j where j.crashes >= 2 and j.worker_id = in_worker_id) then
    select j.ctid, j.tenant_id into v_suspect, v_suspect_tenant
    from jobrunner.jobs as j
    join jobrunner.tenants as t on t.id = j.tenant_id
    where j.crashes >= 2 and j.due_at <= now() and j.state = 'waiting' and j.name = any (in_names)
      and t.paused_at is null
      and (
        t.max_running is null
        or t.max_running > (select count(*) from jobrunner.jobs as r where r.limited_tenant_id = t.id)
      )
    order by j.due_at
    limit 1
    for no key update of j skip locked;
    v_limit := in_limit - (v_suspect is not null)::integer;
  end if;

  -- Who has something due, and how many of the free slots are its share.
  with wanting as materialized (
    select t.id, t.weight, coalesce(h.running, 0) as running, coalesce(h.since, in_since) as since,
      case
        when t.max_running is null then v_limit
        else t.max_running - (select count(*)::integer from jobrunner.jobs as j where j.limited_tenant_id = t.id)
          - (t.id is not distinct from v_suspect_tenant)::integer
      end as room
    from jobrunner.tenants as t
    left join unnest(in_tenant_ids, in_running, in_tenant_since) as h (tenant_id, running, since) on h.tenant_id = t.id
    -- The limit keeps it a look into the index for each tenant: as exists it became a join with all that is due.
    cross join lateral (
      select
      from jobrunner.jobs as j
      where j.tenant_id = t.id and j.due_at >= coalesce(h.since, in_since) and j.due_at <= now() and j.state = 'waiting'
        and j.crashes < 2 and j.name = any (in_names)
      limit 1
    ) as something_due
    where t.paused_at is null
  ), level as materialized (
    select jobrunner.waterline(array_agg(w.weight), array_agg(w.running), v_limit) as height
    from wanting as w
    where w.room > 0
  ), shared as (
    select w.id, w.since, least(v_limit, w.room, ceil(l.height * w.weight - w.running))::integer as share,
      (w.running + 1)::double precision / w.weight as rank
    from wanting as w
    cross join level as l
  ), ranked as (
    select s.id, s.since, s.share,
      sum(greatest(s.share, 0)) over (order by s.rank, s.id) - greatest(s.share, 0) as before
    from shared as s
  )
  select array_agg(r.id order by r.id) filter (where r.share > 0 and r.before < v_limit),
    array_agg(r.since order by r.id) filter (where r.share > 0 and r.before < v_limit),
    array_agg(least(r.share, v_limit - r.before)::integer order by r.id)
      filter (where r.share > 0 and r.before < v_limit),
    array_agg(r.id) filter (where r.share <= 0 or r.before >= v_limit)
  into v_tenants, v_since, v_shares, v_left
  from ranked as r;
  if v_tenants is null and v_suspect is null then
    return;
  end if;
  perform from jobrunner.workers as w
  where w.id = in_worker_id and w.ended_at is null and w.draining_at is null
  for share;
  if not found then
    raise exception 'worker % has ended or drains', in_worker_id using errcode = 'JR003';
  end if;

  v_asked := exists (select from jobrunner.jobs as j where j.priority = 1 and j.due_at <= now());
  return query
    with share as materialized (
      select s.tenant_id, s.since, s.jobs from unnest(v_tenants, v_since, v_shares) as s (tenant_id, since, jobs)
    ), asked as materialized (
      select s.tenant_id, p.ctid
      from share as s
      cross join lateral (
        select j.ctid
        from jobrunner.jobs as j
        where v_asked and j.tenant_id = s.tenant_id and j.priority = 1 and j.due_at >= s.since and j.due_at <= now()
          and j.state = 'waiting' and j.crashes < 2 and j.name = any (in_names)
        order by j.due_at
        limit s.jobs
        for no key update skip locked
      ) as p
    ), scheduled as materialized (
      select p.ctid
      from share as s
      cross join lateral (
        select j.ctid
        from jobrunner.jobs as j
        where j.tenant_id = s.tenant_id and j.due_at >= s.since and j.due_at <= now()
          and j.state = 'waiting' and j.crashes < 2 and j.priority = 0 and j.name = any (in_names)
        order by j.due_at
        limit s.jobs - case when v_asked then (select count(*) from asked as a where a.tenant_id = s.tenant_id) else 0 end
        for no key update skip locked
      ) as p
    ), claimed as (
      update jobrunner.jobs as j
      set worker_id = in_worker_id,
        fence = nextval('jobrunner.fences'),
        nonce = v_nonce,
        started_at = now(),
        deadline_at = now() + j.deadline,
        next_due_at = jobrunner.next_tick(now(), j.every, j.phase),
        limited_tenant_id = case when j.tenant_id = any (v_limited) then j.tenant_id end,
        untriggered_due_at = null
      where j.ctid = any (
        array(select a.ctid from asked as a union all select p.ctid from scheduled as p) || array_remove(array[v_suspect], null)
      )
      returning j.*
    )
    select c.user_id, c.name, c.tenant_id, c.fence, c.nonce, c.due_at, c.started_at, c.next_due_at - c.every,
      (date_part('epoch', c.deadline) * 1000)::bigint, c.priority = 1, c.force_requested, c.entity_requested,
      c.last_outcome, c.last_success_at, c.unchanged_at, coalesce(s.jobs, in_limit + 1),
      case when row_number() over () = 1 then v_left end
    from claimed as c
    left join share as s on s.tenant_id = c.tenant_id;
end
$$;
comment on function jobrunner.claim_jobs is
  'Gives a worker up to in_limit due jobs, each with fence and nonce drawn.';
