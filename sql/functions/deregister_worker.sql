create or replace function jobrunner.deregister_worker(
  in_worker_id integer
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- A worker's orderly end; false: it was given up before. What it still holds is taken from it by reap_jobs.
-- Waits for a claim of its own that is under way, so that one whose reply was lost is seen.
begin
  update jobrunner.workers as w
  set ended_at = now(), end_reason = 'stopped', running_count = 0
  where w.id = in_worker_id and w.ended_at is null;
  if not found then
    return false;
  end if;
  if jobrunner.forget_ended_claims(in_worker_id) = 0 then
    update jobrunner.workers as w set cleared_at = now() where w.id = in_worker_id;
  end if;
  return true;
end
$$;
comment on function jobrunner.deregister_worker is 'A worker''s orderly end.';
