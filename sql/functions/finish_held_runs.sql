create or replace function jobrunner.finish_held_runs(
  in_places bigint[],
  in_user_ids bigint[],
  in_names text[],
  in_outcomes text[],
  in_error_kinds text[],
  in_errors text[],
  in_waits_ms bigint[],
  in_requests bigint[],
  in_unchanged boolean[],
  in_secrets text[]
) returns table (
  user_id bigint,
  name text,
  fence bigint
)
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Ends the runs at in_places, whose jobs are locked: counts what they committed, decides when each job is due next, writes
-- the run, feeds the breakers. Returns the jobs that were set aside. Not for callers: finish_runs.
-- A run that was complete has honoured what was asked of it; any other hands it on to the run that follows, together with
-- what was asked meanwhile. A counter at its type's end stays there, or no outcome of the batch could be written.
#variable_conflict use_column
declare
  v_ids bigint[];
  v_names text[];
  v_fences bigint[];
  v_tenant_ids bigint[];
  v_ended text[];
  v_reached boolean[];
  v_unavailable boolean[];
  v_set_aside bigint[];
  v_changed_ids bigint[];
  v_changed_names text[];
  v_changed_runs bigint[];
  v_changes jsonb[];
  v_due bigint;
begin
  select array_agg(j.user_id), array_agg(j.name), array_agg(j.fence) into v_ids, v_names, v_fences
  from unnest(in_places) as h (place)
  join jobrunner.jobs as j on j.user_id = in_user_ids[h.place] and j.name = in_names[h.place];

  with counted as materialized (
    select * from jobrunner.run_totals(v_ids, v_names, v_fences)
  ), held as materialized (
    -- Which secrets are there by now: a version that the run had not read came too late for it.
    select j.user_id, j.name, j.fence, j.tenant_id, j.worker_id, j.every, j.phase, j.priority, j.due_at, j.started_at,
      j.next_due_at, j.consecutive_failures, j.stalled_runs, j.deferrals, j.last_outcome, j.last_error_kind,
      j.rerun_requested, j.rerun_forced, j.rerun_entity, j.force_requested, j.entity_requested,
      in_outcomes[h.place] as outcome, in_error_kinds[h.place] as error_kind, in_errors[h.place] as error,
      make_interval(secs => in_waits_ms[h.place] / 1000.0) as asked_wait, in_requests[h.place] as requests,
      in_unchanged[h.place] as is_unchanged,
      in_outcomes[h.place] = 'needs_reauth' and exists (
        select from jobrunner.secrets as s
        where s.tenant_id = j.tenant_id and s.user_id in (0, j.user_id)
          and s.version <> all (coalesce(string_to_array(in_secrets[h.place], ',')::bigint[], '{}'))
      ) as is_renewed,
      c.pages + c.pushed > 0 as has_progress,
      in_error_kinds[h.place] = 'deadline' and c.pages + c.pushed = 0 and j.stalled_runs >= 4 as is_stuck,
      c.pages, c.fetched, c.inserted, c.updated, c.unchanged, c.skipped_older, c.skipped_incompatible, c.filtered,
      c.duplicate, c.deleted, c.swept, c.pushed, c.push_failed, c.changed, c.entities
    from unnest(in_places) as h (place)
    join jobrunner.jobs as j on j.user_id = in_user_ids[h.place] and j.name = in_names[h.place]
    join counted as c on c.user_id = j.user_id and c.name = j.name
  ), decided as materialized (
    select h.*,
      case
        when h.outcome = 'deferred' and not h.rerun_forced
          then now() + jobrunner.deferral(h.asked_wait, case when h.has_progress then 1 else least(h.deferrals, 2147483646) + 1 end)
      end as deferred_until
    from held as h
  ), finished as (
    update jobrunner.jobs as j
    set worker_id = null,
      started_at = null,
      deadline_at = null,
      next_due_at = null,
      limited_tenant_id = null,
      cancel_requested_at = null,
      rerun_requested = false,
      rerun_forced = false,
      rerun_entity = null,
      force_requested = d.rerun_forced or d.force_requested and d.outcome not in ('complete', 'skipped'),
      entity_requested = case
        when d.outcome in ('complete', 'skipped') then d.rerun_entity
        when not d.rerun_requested or d.rerun_entity = d.entity_requested then d.entity_requested
      end,
      priority = case
        when d.rerun_requested then 1
        -- What was asked for and made room, or was broken off by us, is asked for still.
        when d.outcome = 'partial' and d.error_kind in ('yielded', 'shutdown', 'database') then d.priority
        -- Who was added with many keeps to their lane until a run of theirs is complete.
        when d.priority = -1 and d.outcome <> 'complete' then -1
        else 0
      end,
      due_at = case
        when d.is_stuck then now() + jobrunner.quarantine_span(d.stalled_runs - 3)
        -- Our database was in the way: at once, each would meet it again.
        when d.outcome = 'partial' and d.error_kind = 'database' then now() + make_interval(secs => 1 + 2 * random())
        when d.deferred_until is not null then d.deferred_until
        when d.rerun_requested or d.outcome in ('partial', 'deferred') or d.is_renewed then now()
        when d.outcome = 'failed' then now() + jobrunner.backoff(least(d.consecutive_failures, 2147483646) + 1, d.every)
        else jobrunner.tick_after_run(d.next_due_at, now(), d.every, d.phase)
      end,
      deferred_until = d.deferred_until,
      deferrals = case when d.outcome = 'deferred' and not d.has_progress then least(d.deferrals, 2147483646) + 1 else 0 end,
      reauth_needed_at = case
        when d.outcome = 'needs_reauth' and not d.is_renewed then now()
        else j.reauth_needed_at
      end,
      consecutive_failures = case d.outcome
        when 'complete' then 0
        when 'failed' then least(d.consecutive_failures, 2147483646) + 1
        else d.consecutive_failures
      end,
      crashes = 0,
      stalled_runs = case
        when d.outcome = 'complete' or d.has_progress then 0
        when d.error_kind = 'deadline' then least(d.stalled_runs, 2147483646) + 1
        else d.stalled_runs
      end,
      quarantined_at = case when d.is_stuck then now() end,
      quarantine_reason = case
        when d.is_stuck then 'no page was committed in five runs, each of which met its deadline'
      end,
      last_outcome = d.outcome,
      last_error_kind = case
        when d.outcome = 'complete' then null
        when d.outcome in ('failed', 'needs_reauth', 'deferred') then d.error_kind
        else j.last_error_kind
      end,
      last_error = case
        when d.outcome = 'complete' then null
        when d.outcome in ('failed', 'needs_reauth', 'deferred') then d.error
        else j.last_error
      end,
      last_error_at = case
        when d.outcome = 'complete' then null
        when d.outcome in ('failed', 'needs_reauth', 'deferred') then now()
        else j.last_error_at
      end,
      last_run_at = now(),
      last_success_at = case when d.outcome = 'complete' then now() else j.last_success_at end,
      unchanged_at = case when d.is_unchanged then now() else j.unchanged_at end
    from decided as d
    where j.user_id = d.user_id and j.name = d.name
    -- All that is asked below, for a join of parts whose sizes nobody can estimate compares each with each.
    returning j.user_id, j.name, j.fence, j.due_at, j.quarantined_at, d.tenant_id, d.outcome, d.has_progress, d.error_kind,
      d.changed, d.inserted, d.updated, d.deleted, d.swept
  ), recorded as (
    insert into jobrunner.runs (
      user_id, id, outcome, tenant_id, job_name, worker_id, scheduled_at, started_at, error_kind, error,
      request_count, page_count, fetched_count, inserted_count, updated_count, unchanged_count,
      skipped_older_count, skipped_incompatible_count, filtered_count, duplicate_count, deleted_count,
      swept_count, pushed_count, push_failed_count, entities
    )
    select h.user_id, h.fence, h.outcome, h.tenant_id, h.name, h.worker_id, h.due_at, h.started_at,
      h.error_kind, h.error, h.requests, h.pages, h.fetched, h.inserted, h.updated, h.unchanged,
      h.skipped_older, h.skipped_incompatible, h.filtered, h.duplicate, h.deleted, h.swept, h.pushed, h.push_failed,
      h.entities
    from held as h
    -- A source that says "later" again and again is told once.
    where h.outcome in ('partial', 'failed', 'needs_reauth')
      or h.outcome = 'deferred'
        and (h.deferrals = 0 or h.has_progress or h.last_error_kind is distinct from h.error_kind)
      or h.changed + h.pushed + h.push_failed > 0
      or h.priority = 1
  )
  select
    array_agg(f.tenant_id),
    array_agg(f.name),
    array_agg(f.outcome = 'complete' or f.has_progress),
    array_agg(coalesce(f.error_kind in ('unavailable', 'timed_out'), false)),
    array_agg(f.fence) filter (where f.quarantined_at is not null),
    array_agg(f.user_id) filter (where f.changed > 0),
    array_agg(f.name) filter (where f.changed > 0),
    array_agg(f.fence) filter (where f.changed > 0),
    array_agg(jsonb_build_object(
      'inserted', f.inserted, 'updated', f.updated, 'deleted', f.deleted, 'swept', f.swept
    )) filter (where f.changed > 0),
    count(*) filter (where f.due_at <= now())
  into v_tenant_ids, v_ended, v_reached, v_unavailable, v_set_aside, v_changed_ids, v_changed_names, v_changed_runs,
    v_changes, v_due
  from finished as f;

  if v_due > 0 then
    perform jobrunner.wake_workers(now(), in_jobs => v_due);
  end if;
  if v_changed_ids is not null then
    perform jobrunner.tell_changes(v_changed_ids, v_changed_names, v_changed_runs, v_changes);
  end if;
  -- A statement of its own: as a part of the one above it was not run when that returned no row.
  perform jobrunner.report_sources(v_tenant_ids, v_ended, v_reached, v_unavailable);
  return query
    select j.user_id, j.name, j.fence from jobrunner.jobs as j
    join unnest(v_ids, v_names, v_fences) as h (user_id, name, fence) on h.user_id = j.user_id and h.name = j.name
    where h.fence = any (v_set_aside);
end
$$;
comment on function jobrunner.finish_held_runs is
  'Decides what follows for the jobs of runs that end. Not for callers: finish_runs.';
