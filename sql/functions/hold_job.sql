create or replace function jobrunner.hold_job(
  in_user_id bigint,
  in_name text,
  in_fence bigint,
  in_nonce uuid
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
-- First statement of every transaction a run writes in: proves the claim under the job's row lock (invariant 2).
-- Asks for the state, not the worker: figures of a quiet hour made the planner read all of jobs_held for one row.
-- Returns whether the run was asked to stop. Raises JR001 when the claim is lost, which undoes the transaction.
declare
  v_stop boolean;
begin
  select j.cancel_requested_at is not null into v_stop
  from jobrunner.jobs as j
  where j.user_id = in_user_id and j.name = in_name and j.fence = in_fence and j.nonce = in_nonce
    and j.state = 'running'
  for no key update;
  if not found then
    raise exception 'run % of job % is lost', in_fence, in_name using errcode = 'JR001';
  end if;
  -- What a run deletes is no removal that the next pass would have to undo (request_full_after_removal).
  perform set_config('jobrunner.own_writes', 'on', true);
  return v_stop;
end
$$;
comment on function jobrunner.hold_job is
  'Proves (job, fence, nonce) for the rest of the transaction; a lost run can write nothing.';
