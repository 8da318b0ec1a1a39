create or replace function jobrunner.lock_ending_runs(
  in_user_ids bigint[],
  in_names text[],
  in_fences bigint[],
  in_nonces uuid[],
  in_outcomes text[],
  in_done bigint[]
) returns bigint[]
language plpgsql volatile
set search_path = pg_catalog
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Locks the jobs of runs that are still held, in key order, and returns their places from 1; those in in_done are left out.
-- What another transaction holds is passed over: one application's open transaction must not keep others from ending.
-- A run whose credential was refused also needs its user and tenant, whose rows set_secret holds while it stores a new
-- one: whether that came too late for the run is only known when it is committed. Not for callers: finish_runs.
declare
  v_held bigint[];
  v_refused bigint[];
  v_settled bigint[];
begin
  select coalesce(array_agg(l.place), '{}'),
    coalesce(array_agg(l.place) filter (where in_outcomes[l.place] = 'needs_reauth'), '{}')
  into v_held, v_refused
  from (
    select g.place
    from unnest(in_user_ids, in_names, in_fences, in_nonces) with ordinality as g (user_id, name, fence, nonce, place)
    join jobrunner.jobs as j
      on j.user_id = g.user_id and j.name = g.name and j.fence = g.fence and j.nonce = g.nonce and j.state = 'running'
    where g.fence <> all (in_done)
    order by j.user_id, j.name
    for no key update of j skip locked
  ) as l;
  if v_refused = '{}' then
    return v_held;
  end if;

  select coalesce(array_agg(l.place), '{}') into v_settled
  from (
    select r.place
    from unnest(v_refused) as r (place)
    join jobrunner.users as u on u.id = in_user_ids[r.place]
    join jobrunner.tenants as t on t.id = u.tenant_id
    order by u.id
    for share of u, t skip locked
  ) as l;
  return array(select h.place from unnest(v_held) as h (place) where h.place <> all (v_refused))
    || v_settled;
end
$$;
comment on function jobrunner.lock_ending_runs is 'Locks the jobs of runs that end and may. Not for callers: finish_runs.';
