create or replace function jobrunner.repair_due_times() returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- After the server's clock was set back: nothing waits longer than it would have to by today's clock. A tick is the
-- next one, a backoff and a quarantine are at most their longest, a deferral at most 48 h away, a breaker open for 5
-- min. Returns how many jobs it moved; a job that somebody's transaction holds keeps its time. Reads every job, so it
-- is for that one occasion. Not for callers: reconcile_jobs.
declare
  v_count integer;
begin
  with late as materialized (
    select j.user_id, j.name,
      case
        when j.quarantined_at is not null then now() + interval '24 hours'
        when j.deferred_until > now() then now() + interval '48 hours'
        when j.consecutive_failures > 0 then now() + least(j.every * 8, interval '6 hours')
        else jobrunner.next_tick(now(), j.every, j.phase)
      end as latest_due_at
    from jobrunner.jobs as j
    where j.worker_id is null and j.due_at > now()
    order by j.user_id, j.name
    for no key update skip locked
  ), mended as (
    update jobrunner.jobs as j
    set due_at = l.latest_due_at,
      deferred_until = case when j.deferred_until > now() then l.latest_due_at end,
      untriggered_due_at = null
    from late as l
    where j.user_id = l.user_id and j.name = l.name and j.due_at > l.latest_due_at
    returning 1
  )
  select count(*)::integer into v_count from mended;
  update jobrunner.sources as s
  set blocked_until = now() + interval '5 minutes'
  where s.blocked_until > now() + interval '5 minutes';
  -- Runs that begin from now on would else not count for a breaker until the clock has caught up.
  update jobrunner.sources as s set opened_at = now() where s.opened_at > now();
  perform jobrunner.wake_workers('epoch');
  return v_count;
end
$$;
comment on function jobrunner.repair_due_times is 'Due times after the server''s clock was set back. Not for callers: reconcile_jobs.';
