create or replace function jobrunner.run_totals(
  in_user_ids bigint[],
  in_names text[],
  in_fences bigint[]
) returns table (
  user_id bigint,
  name text,
  counters jobrunner.counters,
  entities jsonb
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
-- What runs have committed, added up over the checkpoints that they moved; no row for a run that has committed nothing.
-- Not for callers: end_claims.
#variable_conflict use_column
begin
  return query
    select e.user_id, e.name, jobrunner.total(e.counters), jsonb_object_agg(e.entity, to_jsonb(e.counters))
    from (
      -- The items of one entity count as one.
      select g.user_id, g.name, split_part(k.entity, '#', 1) as entity, jobrunner.total(k.counters) as counters
      from unnest(in_user_ids, in_names, in_fences) as g (user_id, name, fence)
      join jobrunner.checkpoints as k
        on k.user_id = g.user_id and k.job_name = g.name and k.run_fence = g.fence
      group by g.user_id, g.name, split_part(k.entity, '#', 1)
    ) as e
    group by e.user_id, e.name;
end
$$;
comment on function jobrunner.run_totals is 'Counters of runs, added up over their entities.';
