create or replace function jobrunner.reap_jobs(
  in_lease interval
) returns table (
  worker_id integer,
  reason text,
  job_count integer,
  quarantined_count integer
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Gives up a worker that is silent for longer than the lease, or whose session has been gone for a second, and makes
-- its jobs due again: one worker a call, so that many dead ones are not one long transaction. No row: nobody is dead.
-- Any worker may call it at any time. A run that had committed no page counts as a crash of its job; the third in a row
-- sets the job aside. A worker that gets no session shows its life twice a second.
-- When another worker has just come back from a gap in which this one fell silent as well, both may have waited for the
-- server, and this one is given a lease to come back, too.
-- Right after a restart of the server every session is gone, so then only silence counts. So it does on a server that
-- recovered or was promoted, which does not say when, as long as no worker's session is older than the last sign of
-- life.
#variable_conflict use_column
begin
  -- Heartbeats of a clock that was set back: the living beat again, the dead become silent.
  update jobrunner.workers as w
  set heartbeat_at = now()
  where w.ended_at is null and w.heartbeat_at > now() + interval '1 second';
  update jobrunner.workers as w
  set session_gone_at = now()
  where w.ended_at is null and w.session_gone_at is null
    and w.heartbeat_at < now() - interval '1 second'
    and not jobrunner.has_session(w);

  update jobrunner.workers as w
  set ended_at = now(),
    running_count = 0,
    end_reason = case when w.heartbeat_at < now() - in_lease then 'silent' else 'session_gone' end
  where w.id in (
      select dead.id
      from jobrunner.workers as dead
      where dead.ended_at is null
        and (
          dead.heartbeat_at < now() - in_lease
          or (
            dead.session_gone_at < now() - interval '1 second'
            and dead.heartbeat_at < now() - interval '2 seconds'
            and pg_postmaster_start_time() < now() - in_lease
            and (
              pg_last_wal_replay_lsn() is null
              or exists (
                select
                from jobrunner.workers as other
                where other.ended_at is null and other.session_started_at < dead.heartbeat_at
                  and jobrunner.has_session(other)
              )
            )
          )
        )
        and not jobrunner.was_away_with(dead, in_lease)
      order by dead.id
      limit 1
      for update skip locked
    )
  returning w.id, w.end_reason into worker_id, reason;
  if worker_id is not null then
    select r.job_count, r.quarantined_count into job_count, quarantined_count
      from jobrunner.reap_worker(worker_id, reason) as r;
    return next;
    return;
  end if;

  -- Jobs that a stuck transaction kept locked when their worker was given up, and those of workers that left: of one
  -- worker, whichever, so that one of whom nothing can be taken yet keeps no other away.
  select w.id, w.end_reason into worker_id, reason
  from jobrunner.workers as w
  where w.ended_at < now() and w.cleared_at is null
  order by random()
  limit 1;
  if worker_id is not null then
    select r.job_count, r.quarantined_count into job_count, quarantined_count
      from jobrunner.reap_worker(worker_id, reason) as r;
    if job_count > 0 then
      return next;
    end if;
  end if;
end
$$;
comment on function jobrunner.reap_jobs is 'Takes jobs away from dead workers; no leader, any worker may call it.';
