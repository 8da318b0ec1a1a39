create or replace function jobrunner.reap_worker(
  in_worker_id integer,
  in_reason text
) returns table (
  job_count integer,
  quarantined_count integer
)
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Takes its jobs away from a worker that has ended. No claim of its own can follow: a claim holds the worker's row.
-- A job that a transaction still holds is left to the next call, which asks for that job alone; when none is left, the worker is
-- cleared. Not for callers: reap_jobs decides who is dead.
declare
  v_ids bigint[];
  v_names text[];
begin
  select w.left_user_ids, w.left_names into v_ids, v_names from jobrunner.workers as w where w.id = in_worker_id;
  if v_ids is null then
    select array_agg(h.user_id), array_agg(h.name) into v_ids, v_names
    from jobrunner.held_jobs() as h
    where h.worker_id = in_worker_id;
  end if;
  select c.job_count, c.quarantined_count into job_count, quarantined_count
  from jobrunner.crash_runs(in_worker_id, v_ids, v_names, in_reason) as c;
  if job_count = coalesce(cardinality(v_ids), 0) then
    v_ids := null;
  else
    select array_agg(j.user_id), array_agg(j.name) into v_ids, v_names
    from unnest(v_ids, v_names) as held (user_id, name)
    join jobrunner.jobs as j on j.user_id = held.user_id and j.name = held.name
    where j.worker_id = in_worker_id;
  end if;
  if v_ids is null then
    v_names := null;
  end if;
  update jobrunner.workers as w
  set left_user_ids = v_ids,
    left_names = v_names,
    cleared_at = case when v_ids is null then now() end
  where w.id = in_worker_id and w.cleared_at is null and (v_ids is null or w.left_user_ids is distinct from v_ids);
  return next;
end
$$;
comment on function jobrunner.reap_worker is 'Takes its jobs away from one dead worker. Not for callers: reap_jobs decides who is dead.';
