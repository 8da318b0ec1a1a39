create or replace function jobrunner.reap_worker(
  in_worker_id integer,
  in_reason text
) returns table (
  job_count integer,
  quarantined_count integer
)
language sql volatile
set search_path = pg_catalog
as $$
-- Ends the runs of a worker that has been given up as partial, kind crashed; what they committed stands.
-- A job that a transaction still holds is left to the next call.
with held as materialized (
  select j.*
  from jobrunner.jobs as j
  where j.worker_id = in_worker_id
  order by j.user_id, j.name
  for no key update skip locked
), counted as materialized (
  select h.user_id, h.name,
    coalesce(sum(k.run_page_count), 0)::integer as pages,
    coalesce(sum(k.run_fetched_count), 0)::bigint as fetched,
    coalesce(sum(k.run_inserted_count), 0)::bigint as inserted,
    coalesce(sum(k.run_updated_count), 0)::bigint as updated,
    coalesce(sum(k.run_unchanged_count), 0)::bigint as unchanged,
    coalesce(sum(k.run_skipped_older_count), 0)::bigint as skipped_older,
    coalesce(sum(k.run_skipped_incompatible_count), 0)::bigint as skipped_incompatible,
    coalesce(sum(k.run_filtered_count), 0)::bigint as filtered,
    coalesce(sum(k.run_duplicate_count), 0)::bigint as duplicate,
    coalesce(sum(k.run_deleted_count), 0)::bigint as deleted,
    coalesce(sum(k.run_swept_count), 0)::bigint as swept,
    coalesce(sum(k.run_pushed_count), 0)::bigint as pushed,
    coalesce(sum(k.run_push_failed_count), 0)::bigint as push_failed,
    coalesce(
      jsonb_object_agg(k.entity, jobrunner.run_counters(k)) filter (where k.entity is not null), '{}'
    ) as entities
  from held as h
  left join jobrunner.checkpoints as k
    on k.user_id = h.user_id and k.job_name = h.name and k.run_fence = h.fence
  group by h.user_id, h.name
), recorded as (
  insert into jobrunner.runs (
    user_id, id, outcome, tenant_id, job_name, worker_id, scheduled_at, started_at, error_kind, error,
    page_count, fetched_count, inserted_count, updated_count, unchanged_count, skipped_older_count,
    skipped_incompatible_count, filtered_count, duplicate_count, deleted_count,
    swept_count, pushed_count, push_failed_count, entities
  )
  select h.user_id, h.fence, 'partial', h.tenant_id, h.name, h.worker_id, h.scheduled_at, h.started_at,
    'crashed', 'worker ' || h.worker_id || ' was lost (' || in_reason || ')', c.pages, c.fetched, c.inserted,
    c.updated, c.unchanged, c.skipped_older, c.skipped_incompatible, c.filtered, c.duplicate, c.deleted,
    c.swept, c.pushed, c.push_failed, c.entities
  from held as h
  join counted as c on c.user_id = h.user_id and c.name = h.name
), freed as (
  update jobrunner.jobs as j
  set worker_id = null,
    scheduled_at = null,
    started_at = null,
    deadline_at = null,
    cancel_requested_at = null,
    rerun_requested = false,
    due_at = case
      when c.pages + c.pushed = 0 and h.crashes >= 2 then now() + jobrunner.quarantine_span(h.crashes - 1)
      else least(j.due_at, now())
    end,
    crashes = case when c.pages + c.pushed > 0 then 0 else h.crashes + 1 end,
    quarantined_at = case when c.pages + c.pushed = 0 and h.crashes >= 2 then now() end,
    quarantine_reason = case
      when c.pages + c.pushed = 0 and h.crashes >= 2 then 'its worker died in three runs in a row'
    end,
    last_outcome = 'partial',
    last_run_at = now()
  from held as h
  join counted as c on c.user_id = h.user_id and c.name = h.name
  where j.user_id = h.user_id and j.name = h.name
  returning j.quarantined_at
)
select count(*)::integer, count(f.quarantined_at)::integer
from freed as f
cross join (
  select jobrunner.tell_changes(
    array_agg(h.user_id), array_agg(h.name), array_agg(h.fence), array_agg(jsonb_build_object(
      'inserted', c.inserted, 'updated', c.updated, 'deleted', c.deleted, 'swept', c.swept
    ))
  )
  from held as h
  join counted as c on c.user_id = h.user_id and c.name = h.name
  where c.inserted + c.updated + c.deleted + c.swept > 0
) as told
$$;
comment on function jobrunner.reap_worker is 'Takes its jobs away from one dead worker. Not for callers: reap_jobs decides who is dead.';
