create or replace function jobrunner.pick_due(
  in_worker_id integer,
  in_limit integer,
  in_look integer,
  in_names text[],
  in_since timestamptz,
  in_since_user_id bigint,
  in_locks boolean
) returns jobrunner.claim_look
language plpgsql volatile
set search_path = pg_catalog
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
-- Looks at what became due after (in_since, in_since_user_id), in_look jobs at most. If that is all there is, and no more than in_limit,
-- it is picked for the worker, but for those of a tenant that is paused or has a limit, or of who was added with many; with in_locks it is locked,
-- and what another holds is not picked. Not for callers: claim_jobs.
declare
  v_look jobrunner.claim_look := jobrunner.look_due(in_look, in_names, in_since, in_since_user_id, 'infinity');
  v_apart bigint[];
begin
  v_look.picked := '{}';
  if v_look.places is null or v_look.looked_user_id < 9223372036854775807 or cardinality(v_look.places) > in_limit then
    return v_look;
  end if;
  perform jobrunner.hold_worker(in_worker_id);
  v_apart := jobrunner.apart_tenants(v_look.tenant_ids);
  if v_apart = '{}' and -1 <> all (v_look.priorities) then
    v_look.picked := v_look.places;
  else
    select coalesce(array_agg(f.ctid), '{}') into v_look.picked
    from unnest(v_look.places, v_look.tenant_ids, v_look.priorities) as f (ctid, tenant_id, priority)
    where f.priority >= 0 and f.tenant_id <> all (v_apart);
  end if;
  if in_locks then
    select coalesce(array_agg(l.ctid), '{}') into v_look.picked
    from unnest(v_look.picked) as f (ctid)
    -- One at a time, as in pick_places.
    cross join lateral (
      select j.ctid
      from jobrunner.jobs as j
      where j.ctid = f.ctid and j.claimable_at <= now() and j.state = 'waiting'
      for no key update skip locked
    ) as l;
  end if;
  return v_look;
end
$$;
comment on function jobrunner.pick_due is 'Picks what became due, if it fits. Not for callers: claim_jobs.';
