create or replace function jobrunner.crash_runs(
  in_worker_id bigint,
  in_user_ids bigint[],
  in_names text[],
  in_reason text
) returns table (
  job_count integer,
  quarantined_count integer
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Ends the runs of these jobs of a dead worker as partial, kind crashed; what they committed stands. Returns how many.
-- Which run killed the worker can't be told when several had committed nothing: so a job that ran in company is claimed
-- alone among its like after its second crash, and set aside after two crashes more; one that ran alone after its
-- third.
-- Not for callers: reap_worker, reconcile_jobs.
declare
  v_jobs jobrunner.jobs[];
  v_without_progress integer;
begin
  v_jobs := array(
    select j
    from unnest(in_user_ids, in_names) as held (user_id, name)
    join jobrunner.jobs as j on j.user_id = held.user_id and j.name = held.name
    where j.worker_id = in_worker_id
    order by j.user_id, j.name
    for no key update of j skip locked
  );
  select count(*) into v_without_progress
  from unnest(v_jobs) as j
  where not exists (
    select from jobrunner.checkpoints as k
    where k.user_id = j.user_id and k.job_name = j.name and k.run_fence = j.fence
      and (k.counters).pages + (k.counters).pushed > 0
  );

  select count(*), count(*) filter (where e.is_set_aside) into job_count, quarantined_count
  from jobrunner.end_claims(
    array(
      select jobrunner.end_of(j, 'partial', 'crashed', format('worker %s was lost (%s)', in_worker_id, in_reason),
        in_crashes_allowed => case when v_without_progress > 1 then 3 else 2 end)
      from unnest(v_jobs) as j
    )
  ) as e;
  return next;
end
$$;
comment on function jobrunner.crash_runs is 'Ends the runs of a dead worker. Not for callers: reap_worker, reconcile_jobs.';
