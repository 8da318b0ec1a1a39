create or replace function jobrunner.enqueue(
  in_tenant text,
  in_user text,
  in_job text,
  in_full boolean default false,
  in_entity text default null,
  in_force boolean default false
) returns text
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Asks for a run of a user's job, or the tenant's (user null or *), now, inside the caller's transaction; a job that is
-- due already stays one run.
-- Returns: due, follows_running (one more run follows the present one), deferred (the source asked for patience
-- until deferred_until; in_force goes now), or paused, quarantined, needs_reauth: it waits for that to end.
-- in_full: start over with a full pass; in_entity: only this entity; in_force: also ignore min_gap and a deferral.
-- Raises JR010, JR011, JR012, or JR014 for an entity the job does not have.
declare
  v_job jobrunner.jobs := jobrunner.job_named(in_tenant, in_user, in_job);
  v_answer text := jobrunner.enqueue_job(v_job, coalesce(in_full, false), in_entity, coalesce(in_force, false));
begin
  if v_answer = 'due' then
    perform jobrunner.wake_workers(now(), in_jobs => 1, in_user_id => v_job.user_id);
  end if;
  return v_answer;
end
$$;
comment on function jobrunner.enqueue is
  'Asks for a run of one user''s job now; transactional, and many calls coalesce into one run.';
