create or replace function jobrunner.release_orphans(
  in_user_ids bigint[],
  in_names text[],
  in_fences bigint[],
  in_nonces uuid[]
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Gives back claims that their worker holds and does not know of: due as before, as with release_jobs; but a run that
-- had committed something ends as partial, kind database, so that its counters reach history. Returns how many; a claim
-- that was lost meanwhile, or whose job somebody's transaction holds, is left alone.
declare
  v_jobs jobrunner.jobs[];
begin
  v_jobs := array(
    select j
    from jobrunner.jobs as j
    join unnest(in_user_ids, in_names, in_fences, in_nonces) as g (user_id, name, fence, nonce)
      on j.user_id = g.user_id and j.name = g.name and j.fence = g.fence and j.nonce = g.nonce
    where j.state = 'running'
    order by j.user_id, j.name
    for no key update of j skip locked
  );
  -- A statement of its own: it sees all that the runs had committed.
  return (
    select count(*)::integer
    from jobrunner.end_claims(
      array(
        select jobrunner.end_of(
          j, case when c.has_committed then 'partial' end, case when c.has_committed then 'database' end,
          case when c.has_committed then 'the outcome of the run was not written' end
        )
        from unnest(v_jobs) as j
        cross join lateral (
          select exists (
            select from jobrunner.checkpoints as k
            where k.user_id = j.user_id and k.job_name = j.name and k.run_fence = j.fence
              and (k.counters).pages + (k.counters).pushed > 0
          ) as has_committed
        ) as c
      )
    )
  );
end
$$;
comment on function jobrunner.release_orphans is 'Gives claims back that their worker does not know of.';
