create or replace function jobrunner.is_alive(
  in_worker jobrunner.workers
) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- Whether a worker lives and takes jobs, as far as the database can know: it has not ended or begun to, it gave a sign
-- of life within the last minute, and its session is there. For two seconds of silence the session is not asked for: a
-- worker makes it anew. Nor does it count where the server was restarted after it began, which ends all of them.
begin
  return in_worker.ended_at is null and in_worker.draining_at is null
    and in_worker.heartbeat_at >= now() - interval '1 minute'
    and (
      in_worker.heartbeat_at >= now() - interval '2 seconds'
      or coalesce(in_worker.session_started_at < pg_postmaster_start_time(), false)
      or jobrunner.has_session(in_worker)
    );
end
$$;
comment on function jobrunner.is_alive is 'Whether a worker lives and takes jobs.';
