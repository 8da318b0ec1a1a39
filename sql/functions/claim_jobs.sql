create or replace function jobrunner.claim_jobs(
  in_worker_id integer,
  in_limit integer,
  in_names text[],
  in_walk jobrunner.due_walk default ('-infinity', 0, 'infinity', 1000, true)::jobrunner.due_walk,
  in_offer jobrunner.claim_offer default ('{}', '{}', '{}', '{}', '{}')::jobrunner.claim_offer,
  in_locks boolean default false
) returns setof jobrunner.claim_row
language plpgsql volatile
set search_path = pg_catalog
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Claims up to in_limit (at most 999) due jobs of the named job files for a worker: a row each. The last
-- row has no user; it is the claim's report.
-- A walk that takes gives what became due after its beginning, if there are no more than in_limit (pick_due). Any other claims the
-- jobs that are offered, and then looks at what it walks and reports it (look_due), or looks at nothing.
-- Without in_locks each job is taken by one update, unless somebody has locked its row since it was written, or its tenant is paused
-- or has a limit: those are passed by. Who locks a row in the moment between the look at it and its update makes the claim wait, for
-- 100 ms at most (55P03). With in_locks the rows are locked one by one before, by skip locked (pick_places).
-- A job that may have killed two workers is given to a worker that holds no other such job, before all others.
-- Raises JR003 when the worker has been given up or drains.
-- Locks: the worker's row, so that the worker can't be given up, and its jobs looked for, while this claim is under way (hold_worker);
-- rows of limited_tenants, and jobs. No indexed column is changed, so that claims are HOT updates.
declare
  -- Of the thousand numbers that one drawing of a fence gives.
  v_limit integer := least(in_limit, 999);
  v_suspect_place tid;
  v_suspect_tenant_id bigint;
  v_pick record;
  v_look jobrunner.claim_look;
  v_places tid[] := '{}';
  -- Of each place that is not locked yet.
  v_tenant_ids bigint[];
  v_unlocked integer := 0;
  v_apart bigint[];
  v_count integer := 0;
  v_limited bigint[] := '{}';
  v_full bigint[];
  v_busy bigint[];
  v_fence bigint;
  v_nonce uuid;
begin
  perform from jobrunner.workers as w
  where w.id = in_worker_id and w.ended_at is null and w.draining_at is null;
  if not found then
    raise exception 'worker % has ended or drains', in_worker_id using errcode = 'JR003';
  end if;

  -- Nearly always there is none, and nothing is called.
  if v_limit > 0 and exists (
    select from jobrunner.jobs as j where j.crashes >= 2 and j.claimable_at <= now() and j.state = 'waiting'
  ) then
    perform jobrunner.hold_worker(in_worker_id);
    select s.place, s.tenant_id into v_suspect_place, v_suspect_tenant_id
    from jobrunner.suspect_to_claim(in_worker_id, in_names) as s;
    v_limit := v_limit - (v_suspect_place is not null)::integer;
  end if;
  if (in_walk).takes then
    v_look := jobrunner.pick_due(in_worker_id, v_limit, (in_walk).look, in_names, (in_walk).since, (in_walk).since_user_id, in_locks);
    v_places := v_look.picked;
  elsif v_limit > 0 and (in_offer).places <> '{}' and in_locks then
    perform jobrunner.hold_worker(in_worker_id);
    select p.* into v_pick
    from jobrunner.pick_places(
      v_limit, in_names, (in_offer).tenant_ids, (in_offer).shares, (in_offer).firsts, (in_offer).lasts, (in_offer).places, v_suspect_tenant_id
    ) as p;
    v_places := v_pick.picked;
    v_limited := v_pick.limited_ids;
    v_full := v_pick.full_ids;
    v_busy := v_pick.busy_ids;
  elsif v_limit > 0 and (in_offer).places <> '{}' then
    perform jobrunner.hold_worker(in_worker_id);
    v_places := (in_offer).places[: v_limit];
    v_tenant_ids := (in_offer).tenant_ids[: v_limit];
    v_apart := jobrunner.apart_tenants(v_tenant_ids);
    if v_apart <> '{}' then
      select coalesce(array_agg(f.ctid), '{}'), array_agg(f.tenant_id) into v_places, v_tenant_ids
      from unnest(v_places, v_tenant_ids) as f (ctid, tenant_id)
      where f.tenant_id <> all (v_apart);
    end if;
  end if;
  if not in_locks then
    v_unlocked := cardinality(v_places);
  end if;

  if v_suspect_place is not null then
    v_places := v_places || v_suspect_place;
    -- Asked for now: the limit may have been set since it was picked.
    v_limited := coalesce(v_limited, '{}') || array(
      select t.id from jobrunner.tenants as t where t.id = v_suspect_tenant_id and t.max_running is not null
    );
  end if;
  if v_places <> '{}' then
    if v_unlocked > 0 then
      perform set_config('lock_timeout', '100ms', true);
    end if;
    v_fence := nextval('jobrunner.fences');
    v_nonce := gen_random_uuid();
    return query
      with claimed as (
        update jobrunner.jobs as j
        set worker_id = in_worker_id,
          fence = v_fence + p.place - 1,
          nonce = v_nonce,
          started_at = now(),
          deadline_at = now() + j.deadline,
          next_due_at = jobrunner.next_tick(now(), j.every, j.phase),
          limited_tenant_id = case when j.tenant_id = any (v_limited) then j.tenant_id end,
          untriggered_due_at = null
        from unnest(v_places, v_tenant_ids) with ordinality as p (ctid, tenant_id, place)
        where j.ctid = p.ctid
          -- While nobody has locked or changed the row, xmax is the lock that its version was made with (xmin), or 0.
          and (p.place > v_unlocked or (
            j.xmax in ('0', j.xmin) and j.state = 'waiting' and j.claimable_at <= now() and j.crashes < 2
            and j.name = any (in_names) and j.tenant_id = coalesce(p.tenant_id, j.tenant_id)
          ))
        returning j.*, p.ctid as place
      )
      select c.user_id, c.name, c.tenant_id, c.fence, c.nonce, c.due_at, c.started_at, c.next_due_at - c.every,
        (date_part('epoch', c.deadline) * 1000)::bigint, c.priority, c.force_requested, c.entity_requested,
        c.last_outcome, c.last_success_at, c.unchanged_at, null::timestamptz, null::bigint, null::bigint[],
        null::timestamptz[], null::bigint[], null::smallint[], null::tid[], null::bigint[], null::integer[], null::bigint[],
        null::bigint[], c.place, null::integer, null::bigint[]
      from claimed as c;
    get diagnostics v_count = row_count;
  end if;

  if (in_walk).takes then
    if v_count - (v_suspect_place is not null)::integer = cardinality(v_look.places) then
      -- All that was found was taken.
      v_look.tenant_ids := null;
    end if;
  elsif (in_walk).look > 0 then
    -- Now, so that what was claimed above is not found again.
    v_look := jobrunner.look_due((in_walk).look, in_names, (in_walk).since, (in_walk).since_user_id, (in_walk).until);
  end if;
  return query
    select null::bigint, null::text, null::bigint, null::bigint, null::uuid, null::timestamptz, now(), null::timestamptz,
      null::bigint, null::smallint, null::boolean, null::text, null::text, null::timestamptz, null::timestamptz,
      v_look.looked_at, v_look.looked_user_id, v_look.tenant_ids, v_look.times, v_look.user_ids, v_look.priorities,
      v_look.places, v_look.apart_ids, v_look.apart_weights, v_full, v_busy, null::tid,
      v_look.looked_count, v_limited;
end
$$;
comment on function jobrunner.claim_jobs is
  'Gives a worker up to in_limit due jobs, each with fence and nonce drawn.';
