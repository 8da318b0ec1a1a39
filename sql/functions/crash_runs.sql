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
set search_path = pg_catalog
as $$
-- Ends the runs of these jobs of a dead worker as partial, kind crashed; what they committed stands. Returns how many.
-- Which run killed the worker can't be told when several had committed nothing: so a job that ran in company is claimed
-- alone among its like after its second crash, and set aside after two crashes more; one that ran alone after its third.
-- Not for callers: reap_worker, reconcile_jobs.
declare
  v_ids bigint[];
  v_names text[];
  v_fences bigint[];
begin
  select array_agg(h.user_id), array_agg(h.name), array_agg(h.fence) into v_ids, v_names, v_fences
  from (
    select j.user_id, j.name, j.fence
    from unnest(in_user_ids, in_names) as held (user_id, name)
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
  ), blamed as materialized (
    select c.user_id, c.name, c.pages + c.pushed > 0 as has_progress,
      count(*) filter (where c.pages + c.pushed = 0) over () > 1 as had_company
    from counted as c
  ), judged as materialized (
    select b.user_id, b.name, b.has_progress,
      not b.has_progress and j.crashes >= case when b.had_company then 3 else 2 end as is_set_aside
    from blamed as b
    join jobrunner.jobs as j on j.user_id = b.user_id and j.name = b.name
  ), freed as (
    update jobrunner.jobs as j
    set worker_id = null,
      started_at = null,
      deadline_at = null,
      next_due_at = null,
      limited_tenant_id = null,
      cancel_requested_at = null,
      force_requested = j.force_requested or j.rerun_forced,
      entity_requested = case
        when not j.rerun_requested or j.rerun_entity = j.entity_requested then j.entity_requested
      end,
      rerun_requested = false,
      rerun_forced = false,
      rerun_entity = null,
      due_at = case when d.is_set_aside then now() + jobrunner.quarantine_span(j.crashes - 1) else now() end,
      crashes = case when d.has_progress then 0 else least(j.crashes, 2147483646) + 1 end,
      quarantined_at = case when d.is_set_aside then now() end,
      quarantine_reason = case when d.is_set_aside then 'its worker died in three runs in a row' end,
      last_outcome = 'partial',
      last_run_at = now()
    from judged as d
    where j.user_id = d.user_id and j.name = d.name
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

  if job_count > 0 then
    perform jobrunner.wake_workers(now(), in_jobs => job_count);
  end if;
  return next;
end
$$;
comment on function jobrunner.crash_runs is 'Ends the runs of a dead worker. Not for callers: reap_worker, reconcile_jobs.';
