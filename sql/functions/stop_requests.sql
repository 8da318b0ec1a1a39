create or replace function jobrunner.stop_requests(
  in_worker_id integer
) returns table (
  user_id bigint,
  name text,
  fence bigint
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- A claim whose statement began before its tenant was paused may take a job after pause_jobs has asked all that run to
-- stop: so the runs of a paused tenant are named as well, for ten minutes, which no claim lasts.
#variable_conflict use_column
begin
  return query
    select j.user_id, j.name, j.fence
    from jobrunner.jobs as j
    where j.cancel_requested_at is not null and j.worker_id = in_worker_id;
  if exists (select from jobrunner.tenants as t where t.paused_at > now() - interval '10 minutes') then
    return query
      select h.user_id, h.name, h.fence
      from jobrunner.held_jobs() as h
      join jobrunner.tenants as t on t.id = h.tenant_id
      where h.worker_id = in_worker_id and h.cancel_requested_at is null
        and t.paused_at > now() - interval '10 minutes';
  end if;
end
$$;
comment on function jobrunner.stop_requests is 'Runs of a worker that someone asked to stop; the durable side of cancel.';
