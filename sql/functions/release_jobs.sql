create or replace function jobrunner.release_jobs(
  in_user_ids bigint[],
  in_names text[],
  in_fences bigint[],
  in_nonces uuid[]
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Gives back claims whose runs have not begun, at shutdown: due as before, no outcome, no count.
-- Returns how many; a claim that was lost meanwhile, or whose job somebody's transaction holds, is left alone.
declare
  v_ends jobrunner.run_end[];
begin
  v_ends := array(
    select jobrunner.end_of(j, null, null, null)
    from jobrunner.jobs as j
    join unnest(in_user_ids, in_names, in_fences, in_nonces) as g (user_id, name, fence, nonce)
      on j.user_id = g.user_id and j.name = g.name and j.fence = g.fence and j.nonce = g.nonce
    where j.state = 'running'
    order by j.user_id, j.name
    for no key update of j skip locked
  );
  return (select count(*)::integer from jobrunner.end_claims(v_ends));
end
$$;
comment on function jobrunner.release_jobs is 'Gives claims back without an outcome.';
