create or replace function jobrunner.finish_runs(
  in_user_ids bigint[],
  in_names text[],
  in_fences bigint[],
  in_nonces uuid[],
  in_outcomes text[],
  in_error_kinds text[],
  in_errors text[],
  in_entities text[],
  in_waits_ms bigint[],
  in_requests bigint[],
  in_passes text[],
  in_calls text[],
  in_committed boolean[],
  in_unchanged boolean[]
) returns table (
  user_id bigint,
  name text,
  fence bigint,
  verdict text
)
language plpgsql volatile
set search_path = pg_catalog
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Writes each run's outcome once and decides when its job is due next. All well: no rows. A row says
-- 'lost' (the claim was taken away, nothing is written) or 'quarantined' (the job was set aside).
-- in_entities: where a failed run failed; in_waits_ms: how long a deferred one waits; in_passes: per run null or
-- [{entity, generation, watermark, sync_token, validator, probe, full_us}], passes that ended without anything to
-- write; in_calls: per run null or [{call, list_hash}], calls that succeeded and no page remembered; in_committed: the
-- run may have committed a page or a push; in_unchanged: it read every entity and found nothing to note.
-- Nearly all runs find nothing new: those are ended by one update, which writes nothing but the job.
-- Locks jobs, then sources, in key order, so that two batches can't deadlock.
#variable_conflict use_column
declare
  v_done bigint[];
  v_is_due boolean;
  v_tenant_ids bigint[];
  v_ended text[];
  v_reached boolean[];
  v_unavailable boolean[];
  v_user_ids bigint[];
  v_names text[];
  v_fences bigint[];
  v_verdicts text[];
  v_changed_ids bigint[];
  v_changed_names text[];
  v_changed_runs bigint[];
  v_changes jsonb[];
begin
  with idle as (
    select g.*
    from unnest(in_user_ids, in_names, in_fences, in_nonces, in_outcomes, in_passes, in_calls, in_committed, in_unchanged)
      as g (user_id, name, fence, nonce, outcome, passes, calls, has_committed, is_unchanged)
    where g.outcome = 'complete' and g.passes is null and g.calls is null and not g.has_committed
    order by g.user_id, g.name
  ), ended as (
    update jobrunner.jobs as j
    set worker_id = null,
      started_at = null,
      deadline_at = null,
      next_due_at = null,
      limited_tenant_id = null,
      cancel_requested_at = null,
      force_requested = false,
      entity_requested = null,
      due_at = greatest(j.next_due_at, now()),
      deferred_until = null,
      consecutive_failures = 0,
      crashes = 0,
      stalled_runs = 0,
      last_outcome = 'complete',
      last_error_kind = null,
      last_error = null,
      last_error_at = null,
      last_run_at = now(),
      last_success_at = now(),
      unchanged_at = case when i.is_unchanged then now() else j.unchanged_at end
    from idle as i
    where j.user_id = i.user_id and j.name = i.name and j.fence = i.fence and j.nonce = i.nonce
      and j.state = 'running' and j.priority = 0 and not j.rerun_requested
    returning j.tenant_id, j.name, j.fence, j.due_at
  )
  select array_agg(e.fence), array_agg(e.tenant_id), array_agg(e.name), coalesce(bool_or(e.due_at <= now()), false)
  into v_done, v_tenant_ids, v_ended, v_is_due
  from ended as e;
  if v_done is not null then
    perform jobrunner.report_sources(
      v_tenant_ids, v_ended, array_fill(true, array[cardinality(v_done)]), array_fill(false, array[cardinality(v_done)])
    );
    if v_is_due then
      perform jobrunner.wake_workers(now());
    end if;
    if cardinality(v_done) = cardinality(in_fences) then
      return;
    end if;
  end if;

  with given as materialized (
    select *
    from unnest(
      in_user_ids, in_names, in_fences, in_nonces, in_outcomes, in_error_kinds, in_errors,
      in_entities, in_waits_ms, in_requests, in_passes, in_calls, in_unchanged
    ) as g (
      user_id, name, fence, nonce, outcome, error_kind, error, entity, wait_ms, requests, passes, calls, is_unchanged
    )
    where g.fence <> all (coalesce(v_done, '{}'))
  ), locked as materialized (
    -- Proven after the join, whose size the planner then guesses right: thought to be one row, all that
    -- follows was joined by nested loops.
    select j.fence = g.fence and j.nonce = g.nonce and j.state = 'running' as is_held,
      j.user_id, j.name, j.fence, j.tenant_id, j.worker_id, j.every, j.priority, j.due_at,
      j.started_at, j.consecutive_failures, j.stalled_runs, j.rerun_requested, g.outcome, g.error_kind,
      g.error, g.entity, g.wait_ms, g.requests, g.passes, g.calls, g.is_unchanged,
      g.outcome = 'needs_reauth' and exists (
        select from jobrunner.secrets as s
        where s.tenant_id = j.tenant_id and s.user_id in (0, j.user_id) and s.updated_at > j.started_at
      ) as is_renewed
    from given as g
    join jobrunner.jobs as j on j.user_id = g.user_id and j.name = g.name
    order by j.user_id, j.name
    for no key update of j
  ), held as materialized (
    select * from locked as l where l.is_held
  ), counted as materialized (
    select c.*
    from (select array_agg(h.user_id) as ids, array_agg(h.name) as names, array_agg(h.fence) as fences from held as h) as all_held
    cross join lateral jobrunner.run_totals(all_held.ids, all_held.names, all_held.fences) as c
  ), ended as (
    insert into jobrunner.checkpoints as k (
      user_id, job_name, entity, tenant_id, generation, sync_token, watermark, validator, probe, last_full_at,
      last_synced_at
    )
    select h.user_id, h.name, p.entity, h.tenant_id, p.generation, p.sync_token, p.watermark, p.validator, p.probe,
      to_timestamp(p.full_us / 1000000.0), now()
    from held as h
    cross join lateral jsonb_to_recordset(h.passes::jsonb)
      as p (
        entity text, generation bigint, watermark text, sync_token text, validator text, probe text,
        full_us bigint
      )
    where h.passes is not null
    on conflict (user_id, job_name, entity) do update
    set pass_kind = null,
      pass_started_at = null,
      pass_since = null,
      cursor = null,
      partial_watermark = null,
      sync_token = excluded.sync_token,
      watermark = coalesce(excluded.watermark, k.watermark),
      pass_is_whole = true,
      pass_validator = null,
      pass_probe = null,
      validator = excluded.validator,
      probe = excluded.probe,
      last_full_at = coalesce(excluded.last_full_at, k.last_full_at),
      last_synced_at = excluded.last_synced_at,
      consecutive_failures = 0,
      last_error_kind = null,
      last_error = null,
      last_error_at = null
    where k.generation = excluded.generation
  ), remembered as (
    insert into jobrunner.call_memory as m (user_id, job_name, call, last_succeeded_at, list_hash)
    select h.user_id, h.name, c.call, now(), c.list_hash
    from held as h
    cross join lateral jsonb_to_recordset(h.calls::jsonb) as c (call text, list_hash text)
    where h.calls is not null
    on conflict (user_id, job_name, call) do update
    set last_succeeded_at = excluded.last_succeeded_at, list_hash = excluded.list_hash
  ), failed as (
    insert into jobrunner.checkpoints as k (
      user_id, job_name, entity, tenant_id, consecutive_failures, last_error_kind, last_error, last_error_at
    )
    select h.user_id, h.name, h.entity, h.tenant_id, 1, h.error_kind, h.error, now()
    from held as h
    where h.outcome = 'failed' and h.entity is not null
    on conflict (user_id, job_name, entity) do update
    set consecutive_failures = k.consecutive_failures + 1,
      last_error_kind = excluded.last_error_kind,
      last_error = excluded.last_error,
      last_error_at = excluded.last_error_at
  ), finished as (
    update jobrunner.jobs as j
    set worker_id = null,
      started_at = null,
      deadline_at = null,
      next_due_at = null,
      limited_tenant_id = null,
      cancel_requested_at = null,
      rerun_requested = false,
      force_requested = h.rerun_requested and j.force_requested,
      entity_requested = case when h.rerun_requested then j.entity_requested end,
      priority = h.rerun_requested::integer::smallint,
      due_at = case
        when h.error_kind = 'deadline' and c.pages + c.pushed = 0 and h.stalled_runs >= 4
          then now() + jobrunner.quarantine_span(h.stalled_runs - 3)
        when h.outcome = 'deferred' then now() + make_interval(secs => h.wait_ms / 1000.0)
        when h.rerun_requested or h.outcome = 'partial' or h.is_renewed then now()
        when h.outcome = 'failed' then now() + jobrunner.backoff(h.consecutive_failures + 1, h.every)
        else greatest(j.next_due_at, now())
      end,
      deferred_until = case
        when h.outcome = 'deferred' then now() + make_interval(secs => h.wait_ms / 1000.0)
      end,
      reauth_needed_at = case
        when h.outcome = 'needs_reauth' and not h.is_renewed then now()
        else j.reauth_needed_at
      end,
      consecutive_failures = case h.outcome
        when 'complete' then 0
        when 'failed' then h.consecutive_failures + 1
        else h.consecutive_failures
      end,
      crashes = 0,
      stalled_runs = case
        when h.outcome = 'complete' or c.pages + c.pushed > 0 then 0
        when h.error_kind = 'deadline' then h.stalled_runs + 1
        else h.stalled_runs
      end,
      quarantined_at = case
        when h.error_kind = 'deadline' and c.pages + c.pushed = 0 and h.stalled_runs >= 4 then now()
      end,
      quarantine_reason = case
        when h.error_kind = 'deadline' and c.pages + c.pushed = 0 and h.stalled_runs >= 4
          then 'no page was committed in five runs, each of which met its deadline'
      end,
      last_outcome = h.outcome,
      last_error_kind = case
        when h.outcome = 'complete' then null
        when h.outcome in ('failed', 'needs_reauth', 'deferred') then h.error_kind
        else j.last_error_kind
      end,
      last_error = case
        when h.outcome = 'complete' then null
        when h.outcome in ('failed', 'needs_reauth', 'deferred') then h.error
        else j.last_error
      end,
      last_error_at = case
        when h.outcome = 'complete' then null
        when h.outcome in ('failed', 'needs_reauth', 'deferred') then now()
        else j.last_error_at
      end,
      last_run_at = now(),
      last_success_at = case when h.outcome = 'complete' then now() else j.last_success_at end,
      unchanged_at = case when h.is_unchanged then now() else j.unchanged_at end
    from held as h
    join counted as c on c.user_id = h.user_id and c.name = h.name
    where j.user_id = h.user_id and j.name = h.name
    returning j.user_id, j.name, j.fence, j.due_at, j.quarantined_at
  ), recorded as (
    insert into jobrunner.runs (
      user_id, id, outcome, tenant_id, job_name, worker_id, scheduled_at, started_at, error_kind, error,
      request_count, page_count, fetched_count, inserted_count, updated_count, unchanged_count,
      skipped_older_count, skipped_incompatible_count, filtered_count, duplicate_count, deleted_count,
      swept_count, pushed_count, push_failed_count, entities
    )
    select h.user_id, h.fence, h.outcome, h.tenant_id, h.name, h.worker_id, h.due_at, h.started_at,
      h.error_kind, h.error, h.requests, c.pages, c.fetched, c.inserted, c.updated, c.unchanged,
      c.skipped_older, c.skipped_incompatible, c.filtered, c.duplicate, c.deleted, c.swept, c.pushed, c.push_failed,
      c.entities
    from held as h
    join counted as c on c.user_id = h.user_id and c.name = h.name
    where h.outcome not in ('complete', 'skipped')
      or c.changed + c.pushed + c.push_failed > 0
      or h.priority = 1
  )
  select
    array_agg(h.tenant_id) filter (where h.user_id is not null),
    array_agg(h.name) filter (where h.user_id is not null),
    array_agg(h.outcome = 'complete' or c.pages + c.pushed > 0) filter (where h.user_id is not null),
    array_agg(coalesce(h.error_kind in ('unavailable', 'timed_out'), false)) filter (where h.user_id is not null),
    array_agg(g.user_id) filter (where f.user_id is null or f.quarantined_at is not null),
    array_agg(g.name) filter (where f.user_id is null or f.quarantined_at is not null),
    array_agg(g.fence) filter (where f.user_id is null or f.quarantined_at is not null),
    array_agg(case when f.user_id is null then 'lost' else 'quarantined' end)
      filter (where f.user_id is null or f.quarantined_at is not null),
    array_agg(h.user_id) filter (where c.changed > 0),
    array_agg(h.name) filter (where c.changed > 0),
    array_agg(h.fence) filter (where c.changed > 0),
    array_agg(jsonb_build_object(
      'inserted', c.inserted, 'updated', c.updated, 'deleted', c.deleted, 'swept', c.swept
    )) filter (where c.changed > 0),
    coalesce(bool_or(f.due_at <= now()), false)
  into v_tenant_ids, v_ended, v_reached, v_unavailable, v_user_ids, v_names, v_fences, v_verdicts, v_changed_ids,
    v_changed_names, v_changed_runs, v_changes, v_is_due
  from given as g
  left join held as h on h.user_id = g.user_id and h.name = g.name and h.fence = g.fence
  left join counted as c on c.user_id = h.user_id and c.name = h.name
  left join finished as f on f.user_id = h.user_id and f.name = h.name;

  if v_is_due then
    perform jobrunner.wake_workers(now());
  end if;
  perform jobrunner.tell_changes(v_changed_ids, v_changed_names, v_changed_runs, v_changes);
  -- A statement of its own: as a part of the one above it was not run when that returned no row.
  perform jobrunner.report_sources(v_tenant_ids, v_ended, v_reached, v_unavailable);
  return query select * from unnest(v_user_ids, v_names, v_fences, v_verdicts);
end
$$;
comment on function jobrunner.finish_runs is
  'Ends runs with their outcomes, once each, and decides what follows for their jobs.';
