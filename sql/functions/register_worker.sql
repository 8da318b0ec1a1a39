create or replace function jobrunner.register_worker(
  in_host text,
  in_pid integer,
  in_version text,
  in_capacity integer
) returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Adds a worker and takes its presence lock for the calling session; returns its number.
declare
  v_id integer;
begin
  insert into jobrunner.workers (host, pid, version, capacity)
  values (in_host, in_pid, in_version, in_capacity)
  returning id into v_id;
  perform pg_advisory_lock(1246907730, v_id);
  return v_id;
end
$$;
comment on function jobrunner.register_worker is
  'Adds a worker; the calling session holds its presence lock, so that its death is seen at once.';
