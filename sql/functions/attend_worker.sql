create or replace function jobrunner.attend_worker(
  in_worker_id integer
) returns boolean
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Takes a worker's presence lock again, for a session made after the first was lost. False: the worker was given
-- up meanwhile. The lock may still belong to the dying session; the caller then tries once more.
begin
  if not pg_try_advisory_lock(1246907730, in_worker_id) then
    raise exception 'worker % is still present', in_worker_id using errcode = '55P03';
  end if;
  update jobrunner.workers as w set session_gone_at = null where w.id = in_worker_id and w.ended_at is null;
  return found;
end
$$;
comment on function jobrunner.attend_worker is 'Takes a worker''s presence lock again after its session was lost.';
