create or replace function jobrunner.release_jobs(
  in_user_ids bigint[],
  in_names text[],
  in_fences bigint[],
  in_nonces uuid[]
) returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Gives back claims whose runs have not begun, at shutdown: due as before, no outcome, no count.
-- Returns how many; a claim that was lost meanwhile, or whose job somebody's transaction holds, is left alone.
declare
  v_count integer;
  v_oldest timestamptz;
begin
  with given as materialized (
    select j.user_id, j.name
    from jobrunner.jobs as j
    join unnest(in_user_ids, in_names, in_fences, in_nonces) as g (user_id, name, fence, nonce)
      on j.user_id = g.user_id and j.name = g.name and j.fence = g.fence and j.nonce = g.nonce
    where j.state = 'running'
    order by j.user_id, j.name
    for no key update of j skip locked
  ), released as (
    update jobrunner.jobs as j
    set worker_id = null,
      started_at = null,
      deadline_at = null,
      next_due_at = null,
      limited_tenant_id = null,
      cancel_requested_at = null,
      force_requested = j.force_requested or j.rerun_forced,
      entity_requested = case
        when not j.rerun_requested or j.rerun_entity = j.entity_requested then j.entity_requested
      end,
      rerun_requested = false,
      rerun_forced = false,
      rerun_entity = null
    from given as g
    where j.user_id = g.user_id and j.name = g.name
    returning j.due_at
  )
  select count(*), min(r.due_at) into v_count, v_oldest from released as r;
  if v_count > 0 then
    perform jobrunner.wake_workers(v_oldest, in_jobs => v_count);
  end if;
  return v_count;
end
$$;
comment on function jobrunner.release_jobs is 'Gives claims back without an outcome.';
