create or replace function jobrunner.stop_requests(
  in_worker_id integer
) returns table (
  user_id bigint,
  name text,
  fence bigint
)
language plpgsql stable
set search_path = pg_catalog
as $$
#variable_conflict use_column
begin
  return query
    select j.user_id, j.name, j.fence
    from jobrunner.jobs as j
    where j.cancel_requested_at is not null and j.worker_id = in_worker_id;
end
$$;
comment on function jobrunner.stop_requests is 'Runs of a worker that someone asked to stop; the durable side of cancel.';
