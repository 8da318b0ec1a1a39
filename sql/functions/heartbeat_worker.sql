create or replace function jobrunner.heartbeat_worker(
  in_worker_id integer,
  in_running integer,
  in_draining boolean,
  in_lease interval
) returns table (
  alive boolean,
  worker_count integer,
  worker_rank integer,
  beaten_at timestamptz
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- A worker's sign of life, which keeps all of its claims. alive false: it was given up and must drop its runs.
-- worker_count: workers alive, the caller included, among which a source's concurrency is shared; worker_rank: how many
-- of them came before the caller, by which they take turns and some of them listen; beaten_at: the time, by which a
-- turn is told. Who has missed a beat, of which there are three in a lease, has no turn, long before anybody may take
-- its jobs: of many that died together the dead would else have nearly all turns to notice it in.
begin
  -- A gap of its own is noted, since after an outage of the server everybody has one (reap_jobs).
  update jobrunner.workers as w
  set missed_from = case when now() - w.heartbeat_at > in_lease * 0.6 then w.heartbeat_at else w.missed_from end,
    missed_until = case when now() - w.heartbeat_at > in_lease * 0.6 then now() else w.missed_until end,
    heartbeat_at = now(),
    running_count = in_running,
    draining_at = case when in_draining then coalesce(w.draining_at, now()) end
  where w.id = in_worker_id and w.ended_at is null;
  alive := found;
  beaten_at := clock_timestamp();
  select count(*), count(*) filter (where w.id < in_worker_id) into worker_count, worker_rank
  from jobrunner.workers as w
  where w.ended_at is null and (w.id = in_worker_id or w.heartbeat_at > now() - in_lease * 0.6);
  return next;
end
$$;
comment on function jobrunner.heartbeat_worker is 'One heartbeat keeps all claims of a worker.';
