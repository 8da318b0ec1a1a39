create or replace function jobrunner.postpone_slowing(
  in_job jobrunner.jobs
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Somebody asks for a job: it slows down later, and one that has slowed down goes at its own pace again, from the next
-- tick of that on. Written when a tenth of the time has passed since it was last written, for readers may ask often.
-- Most files have no rule by which jobs slow down, and then nothing is read. Not for callers.
declare
  v_due timestamptz;
begin
  if in_job.slows_at is null and in_job.slowed_at is null then
    return;
  end if;
  update jobrunner.jobs as j
  set slows_at = now() + f.slow_after,
    slowed_at = null,
    every = o.own,
    phase = p.phase,
    due_at = case
      when j.slowed_at is null or j.worker_id is not null or j.consecutive_failures > 0 or j.deferred_until > now()
        or j.quarantined_at is not null
      then j.due_at
      else least(j.due_at, jobrunner.next_tick(now(), o.own, p.phase))
    end,
    next_due_at = case
      when j.worker_id is not null then least(j.next_due_at, jobrunner.next_tick(now(), o.own, p.phase))
    end
  from jobrunner.job_files as f
  cross join lateral jobrunner.period_of(in_job.user_id, in_job.tenant_id, in_job.name) as g
  cross join lateral (select coalesce(g.every, f.every) as own) as o
  cross join lateral (select jobrunner.phase_of(in_job.user_id, in_job.name, o.own, f.spread) as phase) as p
  where j.user_id = in_job.user_id and j.name = in_job.name and f.name = in_job.name and f.slow_after is not null
    and (j.slowed_at is not null or j.slows_at < now() + 0.9 * f.slow_after)
  returning case when j.worker_id is null and j.claimable_at <= now() then j.due_at end into v_due;
  if v_due is not null then
    -- Its row stands elsewhere now than workers remember.
    perform jobrunner.wake_workers(v_due, in_jobs => 1, in_user_id => in_job.user_id);
  end if;
end
$$;
comment on function jobrunner.postpone_slowing is 'Notes that somebody asks for a job, so that it does not slow down. Not for callers.';
