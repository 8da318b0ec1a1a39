create or replace function jobrunner.has_session(
  in_worker jobrunner.workers
) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- Whether the session that stands for a worker is there. Of another login's session only its number can be seen, and
-- that is believed: then silence counts. Not for callers: reap_jobs.
begin
  return exists (
    select
    from pg_stat_get_activity(in_worker.session_pid) as s
    where s.datid = (select d.oid from pg_database as d where d.datname = current_database())
      and coalesce(s.backend_start = in_worker.session_started_at, true)
  );
end
$$;
comment on function jobrunner.has_session is 'Whether the session that stands for a worker is there. Not for callers: reap_jobs.';
