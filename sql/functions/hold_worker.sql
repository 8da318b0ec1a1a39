create or replace function jobrunner.hold_worker(
  in_worker_id integer
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Locks a worker's row until the claim ends, before it asks for limits: the worker can't be given up meanwhile, and a
-- limit that is set meanwhile waits for the claim (activate_limits). Raises JR003 when the worker has been given up or
-- drains. Not for callers: the verbs that claim.
begin
  perform from jobrunner.workers as w
  where w.id = in_worker_id and w.ended_at is null and w.draining_at is null
  for share;
  if not found then
    raise exception 'worker % has ended or drains', in_worker_id using errcode = 'JR003';
  end if;
end
$$;
comment on function jobrunner.hold_worker is 'Keeps a worker from being given up while it claims. Not for callers: the verbs that claim.';
