create or replace function jobrunner.reap_worker(
  in_worker_id integer,
  in_reason text
) returns table (
  job_count integer,
  quarantined_count integer
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Takes its jobs away from a worker that has ended. No claim of its own can follow: a claim holds the worker's row.
-- A job that a transaction still holds is left to the next call; when none is left, the worker is cleared.
-- Not for callers: reap_jobs decides who is dead.
declare
  v_ids bigint[];
  v_names text[];
begin
  select array_agg(h.user_id), array_agg(h.name) into v_ids, v_names
  from jobrunner.held_jobs() as h
  where h.worker_id = in_worker_id;
  select c.job_count, c.quarantined_count into job_count, quarantined_count
  from jobrunner.crash_runs(in_worker_id, v_ids, v_names, in_reason) as c;
  if jobrunner.forget_ended_claims(in_worker_id) = 0 then
    update jobrunner.workers as w set cleared_at = now() where w.id = in_worker_id and w.cleared_at is null;
  end if;
  return next;
end
$$;
comment on function jobrunner.reap_worker is 'Takes its jobs away from one dead worker. Not for callers: reap_jobs decides who is dead.';
