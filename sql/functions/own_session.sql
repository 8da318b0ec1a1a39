create or replace function jobrunner.own_session(
  out pid integer,
  out started_at timestamptz
) returns record
language sql stable
set search_path = pg_catalog, pg_temp
as $$
-- The calling session, as it stands in the list of sessions. Not for callers: register_worker, reattach_worker.
select s.pid, s.backend_start from pg_stat_get_activity(pg_backend_pid()) as s
$$;
comment on function jobrunner.own_session is 'The calling session. Not for callers: register_worker, reattach_worker.';
