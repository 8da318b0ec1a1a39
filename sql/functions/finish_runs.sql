create or replace function jobrunner.finish_runs(
  in_ends jobrunner.run_end[]
) returns table (
  user_id bigint,
  name text,
  fence bigint,
  verdict text
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Writes each run's outcome once and decides when its job is due next. All well: no rows. A row says 'lost' (the claim
-- was taken away, nothing is written) or 'busy' (somebody's transaction holds the job or its secrets: nothing is
-- written, try it again). Or it says 'quarantined' (the job was set aside) or 'endless' (its pass begins to count as
-- one that does not end).
-- Locks jobs in key order, and waits for none.
#variable_conflict use_column
declare
  v_held jobrunner.run_end[];
  v_reset bigint[];
begin
  -- A statement of its own: what follows must see all that the runs had committed when their jobs were locked.
  v_held := jobrunner.lock_ends(in_ends);
  if v_held <> '{}' then
    -- A reset came between, or a failover has lost the page before the end: the run reads again.
    v_reset := jobrunner.store_ended_passes(v_held);
    for v_number in 1..cardinality(v_held) loop
      if (v_held[v_number]).fence = any (v_reset) and (v_held[v_number]).outcome = 'complete' then
        v_held[v_number].outcome := 'partial';
        v_held[v_number].error_kind := 'reset';
      end if;
    end loop;
    perform jobrunner.store_calls(v_held);
    perform jobrunner.store_entity_failures(v_held);
    return query
      select e.user_id, e.name, e.fence, 'quarantined' from jobrunner.end_claims(v_held) as e
        where e.is_set_aside;
    return query select e.user_id, e.name, e.fence, 'endless' from jobrunner.endless_runs(v_held) as e;
  end if;

  return query
    select g.user_id, g.name, g.fence, case when j.user_id is null then 'lost' else 'busy' end
    from unnest(in_ends) as g
    left join jobrunner.jobs as j
      on j.user_id = g.user_id and j.name = g.name and j.fence = g.fence and j.nonce = g.nonce and j.state = 'running'
    where g.fence <> all (array(select h.fence from unnest(v_held) as h));
end
$$;
comment on function jobrunner.finish_runs is
  'Ends runs with their outcomes, once each, and decides what follows for their jobs.';
