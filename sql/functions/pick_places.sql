create or replace function jobrunner.pick_places(
  in_limit integer,
  in_names text[],
  in_tenant_ids bigint[],
  in_shares integer[],
  in_firsts integer[],
  in_lasts integer[],
  in_places tid[],
  in_suspect_tenant_id bigint,
  out picked tid[],
  out limited_ids bigint[],
  out full_ids bigint[],
  out busy_ids bigint[]
) returns record
language plpgsql volatile
set search_path = pg_catalog
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
-- Locks up to in_limit jobs of these tenants, in their order, up to each one's share, of the jobs at in_places: each tenant's
-- stand from its in_firsts to its in_lasts. A job that has moved, runs or is locked is passed by.
-- limited_ids: tenants with a limit; full_ids: those that may run no more now, or are paused; busy_ids: those that another claim is
-- taking from. Of a tenant with a limit it takes no more than may run; the turn to take from it is its row in limited_tenants, by skip locked.
-- in_suspect_tenant_id: the tenant of whom this claim has picked a job before, which its limit may not know of; null: none. Not for callers: claim_jobs.
declare
  v_apart bigint[] := jobrunner.apart_tenants(in_tenant_ids);
  v_turns bigint[];
  v_rooms integer[];
  v_shares integer[] := in_shares;
  v_took_of integer[];
begin
  if v_apart <> '{}' then
    v_turns := array(
      select l.tenant_id from jobrunner.limited_tenants as l where l.tenant_id = any (v_apart) for no key update skip locked
    );
    -- A statement of its own: it sees what those have claimed who had the turn before.
    select array_agg(t.id), array_agg(greatest(0, case
        when t.paused_at is not null then 0
        when t.max_running is null then 2147483647
        else coalesce(r.room, 0) - (t.id is not distinct from in_suspect_tenant_id)::integer
      end)),
      array_agg(t.id) filter (where t.max_running is not null),
      array_agg(t.id) filter (where t.paused_at is null and t.max_running is not null and t.id <> all (v_turns))
    into v_apart, v_rooms, limited_ids, busy_ids
    from jobrunner.tenants as t
    left join jobrunner.rooms_of_tenants(v_turns) as r on r.tenant_id = t.id
    where t.id = any (v_apart);
    select array_agg(least(g.share, coalesce(a.room, g.share)) order by g.place) into v_shares
    from unnest(in_tenant_ids, in_shares) with ordinality as g (id, share, place)
    left join unnest(v_apart, v_rooms) as a (id, room) on a.id = g.id;
  end if;

  select coalesce(array_agg(x.ctid), '{}'), array_agg(x.of) into picked, v_took_of
  from (
    select y.ctid, t.of
    from unnest(in_tenant_ids, v_shares, in_firsts, in_lasts) with ordinality as t (id, share, first, last, of)
    cross join lateral (
      select l.ctid
      -- In its order, and one at a time: what comes behind a share is not locked. In a join the planner may prefer the index of what
      -- is due to the places, by statistics of a time when nothing was, and read all of it.
      from unnest(in_places[t.first : t.last]) as p (ctid)
      cross join lateral (
        select j.ctid
        from jobrunner.jobs as j
        where j.ctid = p.ctid and j.tenant_id = t.id and j.claimable_at <= now() and j.state = 'waiting'
          and j.crashes < 2 and j.name = any (in_names)
        for no key update skip locked
      ) as l
      limit t.share
    ) as y
    limit in_limit
  ) as x;
  if v_apart <> '{}' then
    full_ids := array(
      select a.id
      from unnest(v_apart, v_rooms) as a (id, room)
      join unnest(in_tenant_ids) with ordinality as g (id, of) on g.id = a.id
      where a.room = (select count(*) from unnest(v_took_of) as k (of) where k.of = g.of)
        and a.id <> all (coalesce(busy_ids, '{}'))
    );
  end if;
end
$$;
comment on function jobrunner.pick_places is 'Locks jobs by where their rows stood. Not for callers: claim_jobs.';
