create or replace function jobrunner.was_away_with(
  in_worker jobrunner.workers,
  in_lease interval
) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
-- Whether another worker, within the last lease, came back from a gap that began when this one was still heard, or a
-- lease after its last sign of life at most: an outage keeps all of them silent. Who has died before, or misses beats
-- again and again, is no reason to wait longer. Not for callers: reap_jobs.
select exists (
  select
  from jobrunner.workers as other
  where other.ended_at is null and other.id <> in_worker.id
    and other.missed_until > now() - in_lease
    and other.missed_from > in_worker.heartbeat_at - in_lease
    and other.missed_from < in_worker.heartbeat_at + in_lease
)
$$;
comment on function jobrunner.was_away_with is 'Whether another worker was silent for the same reason. Not for callers: reap_jobs.';
