create or replace function jobrunner.pick_due(
  in_limit integer,
  in_look integer,
  in_names text[],
  in_since timestamptz,
  in_since_user_id bigint
) returns jobrunner.claim_look
language plpgsql volatile
set search_path = pg_catalog
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
-- Looks at what became due after (in_since, in_since_user_id), in_look jobs at most. If that is all there is, and no more than in_limit,
-- it is locked; what another holds, or is of a tenant that is paused or has a limit, or of who was added with many, is reported as found.
-- Not for callers: claim_jobs.
declare
  v_look jobrunner.claim_look := jobrunner.look_due(in_look, in_names, in_since, in_since_user_id, 'infinity');
  v_apart bigint[];
begin
  v_look.picked := '{}';
  if v_look.places is null or v_look.looked_user_id < 9223372036854775807 or cardinality(v_look.places) > in_limit then
    return v_look;
  end if;
  v_apart := jobrunner.apart_tenants(v_look.tenant_ids);
  select coalesce(array_agg(p.ctid), '{}') into v_look.picked
  from (
    select l.ctid
    from unnest(v_look.places) as f (ctid)
    -- One at a time, as in pick_places.
    cross join lateral (
      select j.ctid
      from jobrunner.jobs as j
      where j.ctid = f.ctid and j.claimable_at <= now() and j.state = 'waiting' and j.priority >= 0
        and j.tenant_id <> all (v_apart)
      for no key update skip locked
    ) as l
  ) as p;
  if v_look.picked = v_look.places then
    v_look.places := null;
    v_look.tenant_ids := null;
    return v_look;
  end if;
  select array_agg(f.tenant_id), array_agg(f.claimable_at), array_agg(f.user_id), array_agg(f.priority), array_agg(f.ctid)
  into v_look.tenant_ids, v_look.times, v_look.user_ids, v_look.priorities, v_look.places
  from unnest(v_look.tenant_ids, v_look.times, v_look.user_ids, v_look.priorities, v_look.places)
    as f (tenant_id, claimable_at, user_id, priority, ctid)
  where f.ctid <> all (v_look.picked);
  return v_look;
end
$$;
comment on function jobrunner.pick_due is 'Locks what became due, if it fits. Not for callers: claim_jobs.';
