create or replace function jobrunner.end_claims(
  in_ends jobrunner.run_end[]
) returns table (
  user_id bigint,
  name text,
  fence bigint,
  is_set_aside boolean
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Ends claims, in the order of in_ends, whose jobs the caller has locked, so that all that their runs committed is
-- seen. Frees each job and decides what follows for it (after_run), writes the run, announces what is due at once and
-- what was changed, and feeds the breakers. A row for each claim that was still held.
-- Not for callers: finish_runs, crash_runs, release_jobs, take_job.
#variable_conflict use_column
declare
  v_user_ids bigint[];
  v_names text[];
  v_fences bigint[];
  v_tenant_ids bigint[];
  v_started_at timestamptz[];
  v_counters jobrunner.counters[];
  v_reached boolean[];
  v_unavailable boolean[];
  v_hosts text[];
  v_set_aside boolean[];
  v_details jsonb[];
  v_troubles jsonb;
  v_due bigint;
  v_due_since timestamptz;
begin
  with totals as materialized (
    select t.*
    from (
      select array_agg(e.user_id) as ids, array_agg(e.name) as names, array_agg(e.fence) as fences
      from unnest(in_ends) as e
      where e.has_committed
    ) as c
    cross join lateral jobrunner.run_totals(c.ids, c.names, c.fences) as t
    where c.ids is not null
  ), ended as (
    update jobrunner.jobs as j
    set (worker_id, started_at, deadline_at, next_due_at, cancel_requested_at) = row (null, null, null, null, null),
      (rerun_requested, rerun_forced, rerun_entity) = row (false, false, null),
      (due_at, deferred_until, priority, force_requested, entity_requested, reauth_needed_at, quarantined_at,
        quarantine_reason) =
        row (n.due_at, n.deferred_until, n.priority, n.force_requested, n.entity_requested, n.reauth_needed_at,
          n.quarantined_at,
          n.quarantine_reason),
      (consecutive_failures, crashes, stalled_runs, deferrals, fruitless_runs) =
        row (n.consecutive_failures, n.crashes, n.stalled_runs, n.deferrals, n.fruitless_runs),
      (last_outcome, last_error_kind, last_error, last_error_at, last_run_at, last_success_at, unchanged_at) =
        row (n.last_outcome, n.last_error_kind, n.last_error, n.last_error_at, n.last_run_at, n.last_success_at,
          n.unchanged_at)
    from unnest(in_ends) as e
    join jobrunner.jobs as b
      on b.user_id = e.user_id and b.name = e.name and b.fence = e.fence and b.nonce = e.nonce and b.state = 'running'
    left join totals as t on t.user_id = e.user_id and t.name = e.name
    cross join lateral jobrunner.after_run(
      b, e, coalesce((t.counters).pages + (t.counters).pushed > 0, false),
      coalesce(jobrunner.changed_rows(t.counters) + (t.counters).pushed > 0, false)
    ) as n
    where j.ctid = b.ctid and j.xmin = b.xmin
    returning j.user_id, j.name, j.fence, j.tenant_id, j.due_at, j.quarantined_at, e.outcome, e.error_kind, e.error,
      e.requests, e.host,
      b.worker_id, b.due_at as scheduled_at, b.started_at, t.counters, t.entities,
      coalesce((t.counters).pages + (t.counters).pushed > 0, false) as has_progress,
      -- A source that says "later" again and again is told once.
      e.outcome in ('partial', 'failed', 'needs_reauth')
        or e.outcome = 'deferred' and (b.deferrals = 0 or b.last_error_kind is distinct from e.error_kind)
        or e.outcome is not null and b.priority = 1 as is_told,
      case
        when e.outcome in ('failed', 'needs_reauth') and b.last_outcome is distinct from e.outcome then 'trouble_began'
        when e.outcome = 'complete' and b.last_error_kind not in ('edits_refused', 'quota_exceeded')
          then 'trouble_ended'
      end as trouble
  ), recorded as (
    insert into jobrunner.runs (
      user_id, id, outcome, tenant_id, job_name, worker_id, scheduled_at, started_at, error_kind, error, request_count,
        counters,
      entities
    )
    select c.user_id, c.fence, c.outcome, c.tenant_id, c.name, c.worker_id, c.scheduled_at, c.started_at, c.error_kind,
      c.error, coalesce(c.requests, 0), coalesce(c.counters, jobrunner.add_counters(null, null)), coalesce(c.entities, '{}')
    from ended as c
    where c.is_told or c.outcome = 'deferred' and c.has_progress
      or jobrunner.changed_rows(c.counters) + (c.counters).pushed + (c.counters).push_failed
        + (c.counters).edits_lost + coalesce((c.counters).skipped, 0) > 0
  )
  select array_agg(c.user_id), array_agg(c.name), array_agg(c.fence), array_agg(c.tenant_id), array_agg(c.started_at),
    array_agg(c.counters),
    array_agg(coalesce(c.outcome = 'complete' or c.has_progress, false)),
    array_agg(coalesce(c.error_kind in ('unavailable', 'timed_out'), false)),
    array_agg(c.host),
    array_agg(c.quarantined_at is not null),
    array_agg(jsonb_strip_nulls(jsonb_build_object(
      'outcome', c.outcome, 'error_kind', c.error_kind, 'changed', coalesce(jobrunner.changed_rows(c.counters), 0),
      'pushed', coalesce((c.counters).pushed, 0)
    ))) filter (where (select jobrunner.tells_of('sync'))),
    jsonb_agg(jsonb_build_object(
      'kind', c.trouble, 'user_id', c.user_id, 'name', c.name, 'run', c.fence,
      'detail', jsonb_strip_nulls(jsonb_build_object('outcome', c.outcome, 'error_kind', c.error_kind))
    )) filter (where c.trouble is not null and (select jobrunner.tells_of('trouble'))),
    count(*) filter (where c.due_at <= now()), min(c.due_at) filter (where c.due_at <= now())
  into v_user_ids, v_names, v_fences, v_tenant_ids, v_started_at, v_counters, v_reached, v_unavailable, v_hosts,
    v_set_aside, v_details, v_troubles, v_due, v_due_since
  from ended as c;

  if v_due > 0 then
    perform jobrunner.wake_workers(v_due_since, in_jobs => v_due);
  end if;
  if array_remove(v_counters, null) <> '{}' then
    perform jobrunner.notify_changes(v_user_ids, v_names, v_fences, v_counters);
  end if;
  if v_details is not null then
    perform jobrunner.tell_events('sync_ended', v_user_ids, v_names, v_fences, in_details => v_details);
  end if;
  if v_troubles is not null then
    perform jobrunner.tell_events(
      t.kind, array_agg(t.user_id), array_agg(t.name), array_agg(t.run), in_details => array_agg(t.detail)
    )
    from jsonb_to_recordset(v_troubles) as t (kind text, user_id bigint, name text, run bigint, detail jsonb)
    group by t.kind;
  end if;
  if v_fences is not null then
    perform jobrunner.report_sources(v_tenant_ids, v_names, v_started_at, v_reached, v_unavailable,
      v_hosts);
  end if;
  return query select * from unnest(v_user_ids, v_names, v_fences, v_set_aside);
end
$$;
comment on function jobrunner.end_claims is 'Ends claims and decides what follows. Not for callers: the verbs that end runs.';
