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
-- Ends the runs of a worker that has been given up as partial, kind crashed; what they committed stands.
-- A job that a transaction still holds is left to the next call; when none is left, the worker is cleared.
declare
  v_held_ids bigint[];
  v_held_names text[];
  v_ids bigint[];
  v_names text[];
  v_fences bigint[];
begin
  select array_agg(h.user_id), array_agg(h.name) into v_held_ids, v_held_names
  from jobrunner.held_jobs() as h
  where h.worker_id = in_worker_id;
  select array_agg(h.user_id), array_agg(h.name), array_agg(h.fence) into v_ids, v_names, v_fences
  from (
    select j.user_id, j.name, j.fence
    from unnest(v_held_ids, v_held_names) as held (user_id, name)
    join jobrunner.jobs as j on j.user_id = held.user_id and j.name = held.name
    where j.worker_id = in_worker_id
    order by j.user_id, j.name
    for no key update of j skip locked
  ) as h;

  with counted as materialized (
    select * from jobrunner.run_totals(v_ids, v_names, v_fences)
  ), recorded as (
    insert into jobrunner.runs (
      user_id, id, outcome, tenant_id, job_name, worker_id, scheduled_at, started_at, error_kind, error,
      page_count, fetched_count, inserted_count, updated_count, unchanged_count, skipped_older_count,
      skipped_incompatible_count, filtered_count, duplicate_count, deleted_count,
      swept_count, pushed_count, push_failed_count, entities
    )
    select j.user_id, j.fence, 'partial', j.tenant_id, j.name, j.worker_id, j.due_at, j.started_at,
      'crashed', 'worker ' || j.worker_id || ' was lost (' || in_reason || ')', c.pages, c.fetched, c.inserted,
      c.updated, c.unchanged, c.skipped_older, c.skipped_incompatible, c.filtered, c.duplicate, c.deleted,
      c.swept, c.pushed, c.push_failed, c.entities
    from counted as c
    join jobrunner.jobs as j on j.user_id = c.user_id and j.name = c.name
  ), freed as (
    update jobrunner.jobs as j
    set worker_id = null,
      started_at = null,
      deadline_at = null,
      next_due_at = null,
      limited_tenant_id = null,
      cancel_requested_at = null,
      rerun_requested = false,
      due_at = case
        when c.pages + c.pushed = 0 and j.crashes >= 2 then now() + jobrunner.quarantine_span(j.crashes - 1)
        else now()
      end,
      crashes = case when c.pages + c.pushed > 0 then 0 else j.crashes + 1 end,
      quarantined_at = case when c.pages + c.pushed = 0 and j.crashes >= 2 then now() end,
      quarantine_reason = case
        when c.pages + c.pushed = 0 and j.crashes >= 2 then 'its worker died in three runs in a row'
      end,
      last_outcome = 'partial',
      last_run_at = now()
    from counted as c
    where j.user_id = c.user_id and j.name = c.name
    returning j.quarantined_at
  )
  select count(*)::integer, count(f.quarantined_at)::integer into job_count, quarantined_count
  from freed as f
  cross join (
    select jobrunner.tell_changes(
      array_agg(j.user_id), array_agg(j.name), array_agg(j.fence), array_agg(jsonb_build_object(
        'inserted', c.inserted, 'updated', c.updated, 'deleted', c.deleted, 'swept', c.swept
      ))
    )
    from counted as c
    join jobrunner.jobs as j on j.user_id = c.user_id and j.name = c.name
    where c.changed > 0
  ) as told;

  if coalesce(cardinality(v_held_ids), 0) = job_count then
    update jobrunner.workers as w set cleared_at = now() where w.id = in_worker_id and w.cleared_at is null;
  end if;
  if job_count > 0 then
    perform jobrunner.wake_workers(now());
  end if;
  return next;
end
$$;
comment on function jobrunner.reap_worker is 'Takes its jobs away from one dead worker. Not for callers: reap_jobs decides who is dead.';
