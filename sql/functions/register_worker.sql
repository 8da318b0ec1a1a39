create or replace function jobrunner.register_worker(
  in_host text,
  in_pid integer,
  in_version text,
  in_capacity integer,
  in_job_names text[] default null,
  in_job_files text[] default null
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Adds a worker, for which the calling session stands; returns its number. in_job_files: of each of in_job_names the
-- file as the worker reads it, by which other_files knows whether it is the stored one.
declare
  v_id integer;
begin
  insert into jobrunner.workers (host, pid, version, capacity, session_pid, session_started_at, job_names, job_versions)
  select in_host, in_pid, in_version, in_capacity, s.pid, s.started_at, in_job_names,
    (select array_agg(hashtextextended(f.text, 0) order by f.number)
      from unnest(in_job_files) with ordinality as f (text, number))
  from jobrunner.own_session() as s
  returning id into v_id;
  return v_id;
end
$$;
comment on function jobrunner.register_worker is
  'Adds a worker; the calling session stands for it, so that its death is seen at once.';
