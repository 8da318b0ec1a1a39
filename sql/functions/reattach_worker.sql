create or replace function jobrunner.reattach_worker(
  in_worker_id integer
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Lets the calling session stand for a worker whose session was lost. False: the worker was given up meanwhile.
begin
  update jobrunner.workers as w
  set session_pid = s.pid,
    session_started_at = s.started_at,
    session_gone_at = null
  from jobrunner.own_session() as s
  where w.id = in_worker_id and w.ended_at is null;
  return found;
end
$$;
comment on function jobrunner.reattach_worker is 'Lets the calling session stand for a worker after the first was lost.';
