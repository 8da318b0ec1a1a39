create or replace function jobrunner.release_jobs(
  in_user_ids bigint[],
  in_names text[],
  in_fences bigint[],
  in_nonces uuid[]
) returns integer
language sql volatile
set search_path = pg_catalog
as $$
-- Gives back claims whose runs have not begun, at shutdown: due as before, no outcome, no count.
-- Returns how many; a claim that was lost meanwhile is left alone.
with released as (
  update jobrunner.jobs as j
  set worker_id = null,
    due_at = least(j.due_at, j.scheduled_at),
    scheduled_at = null,
    started_at = null,
    deadline_at = null,
    cancel_requested_at = null,
    rerun_requested = false
  from unnest(in_user_ids, in_names, in_fences, in_nonces) as g (user_id, name, fence, nonce)
  where j.user_id = g.user_id and j.name = g.name and j.fence = g.fence and j.nonce = g.nonce
    and j.state = 'running'
  returning 1
)
select count(*)::integer from released
$$;
comment on function jobrunner.release_jobs is 'Gives back claims whose runs have not begun.';
