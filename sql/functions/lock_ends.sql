create or replace function jobrunner.lock_ends(
  in_ends jobrunner.run_end[]
) returns jobrunner.run_end[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Locks the jobs of runs that are still held, in key order, and returns the ends of these.
-- What another transaction holds is passed over: one application's open transaction must not keep others from ending.
-- A run whose credential was refused also needs its user and tenant, whose rows set_secret holds while it stores a new
-- one: whether that came too late for the run is only known when it is committed. Not for callers: finish_runs.
declare
  v_held jobrunner.run_end[];
  v_settled bigint[];
  v_renewed bigint[];
begin
  select coalesce(array_agg(l."end"), '{}') into v_held
  from (
    select g as "end"
    from unnest(in_ends) as g
    join jobrunner.jobs as j
      on j.user_id = g.user_id and j.name = g.name and j.fence = g.fence and j.nonce = g.nonce and j.state = 'running'
    order by j.user_id, j.name
    for no key update of j skip locked
  ) as l;
  if not exists (select from unnest(v_held) as h where h.outcome = 'needs_reauth' or h.error_kind = 'client_refused')
    then
    return v_held;
  end if;

  v_settled := jobrunner.lock_refused(v_held);
  select coalesce(array_agg(distinct r.fence), '{}') into v_renewed
  from unnest(v_held) as r
  join jobrunner.users as u on u.id = r.user_id
  join jobrunner.secrets as s on s.tenant_id = u.tenant_id and s.user_id in (0, u.id)
  where (r.outcome = 'needs_reauth' or r.error_kind = 'client_refused')
    and s.version <> all (coalesce(r.secret_versions, '{}'));
  for v_place in 1..cardinality(v_held) loop
    v_held[v_place].is_renewed := (v_held[v_place]).fence = any (v_renewed);
  end loop;
  return array(
    select h from unnest(v_held) as h
    where h.outcome <> 'needs_reauth' and h.error_kind is distinct from 'client_refused' or h.fence = any (v_settled)
  );
end
$$;
comment on function jobrunner.lock_ends is 'Locks the jobs of runs that end and may. Not for callers: finish_runs.';
