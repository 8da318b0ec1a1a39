drop function if exists jobrunner.finish_idle_runs(
  bigint[], text[], bigint[], uuid[], text[], text[], text[], boolean[], boolean[]
);
create or replace function jobrunner.finish_idle_runs(
  in_user_ids bigint[],
  in_names text[],
  in_fences bigint[],
  in_nonces uuid[],
  in_outcomes text[],
  in_passes text[],
  in_calls text[],
  in_requests bigint[],
  in_committed boolean[],
  in_unchanged boolean[],
  in_asked boolean
) returns bigint[]
language plpgsql volatile
set search_path = pg_catalog
set lock_timeout = '100ms'
as $$
-- Ends those of the runs that were complete and found nothing to note, by one update; returns their fences. With in_asked also
-- those that somebody had asked for, which are in the history whatever they found: that reads each job once more.
-- Not for callers: finish_runs, which ends the others.
-- While nobody has locked or changed the row since its claim, xmax is the claim's own lock, which its version was made
-- with (xmin), or 0. A row that somebody holds is left to the caller,
-- which locks each row first; here that would write one more log record a run. Whoever locks a row between this look and
-- the update makes the update wait: after 100 ms all of it is undone and left to the caller.
declare
  v_done bigint[];
  v_tenant_ids bigint[];
  v_names text[];
  v_due bigint;
begin
  with idle as (
    select g.*
    from unnest(in_user_ids, in_names, in_fences, in_nonces, in_outcomes, in_passes, in_calls, in_requests, in_committed,
        in_unchanged)
      as g (user_id, name, fence, nonce, outcome, passes, calls, requests, has_committed, is_unchanged)
    where g.outcome = 'complete' and g.passes is null and g.calls is null and not g.has_committed
    order by g.user_id, g.name
  ), asked as materialized (
    -- What the update below does away with.
    select j.fence, j.worker_id, j.due_at, j.started_at, i.requests
    from idle as i
    join jobrunner.jobs as j on j.user_id = i.user_id and j.name = i.name and j.fence = i.fence
    where in_asked and j.priority = 1
  ), ended as (
    update jobrunner.jobs as j
    set worker_id = null,
      started_at = null,
      deadline_at = null,
      next_due_at = null,
      limited_tenant_id = null,
      cancel_requested_at = null,
      priority = 0,
      force_requested = false,
      entity_requested = null,
      due_at = jobrunner.tick_after_run(j.next_due_at, now(), j.every, j.phase),
      deferred_until = null,
      deferrals = 0,
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
      and j.state = 'running' and j.priority between 0 and in_asked::integer and not j.rerun_requested and j.xmax in ('0', j.xmin)
    returning j.user_id, j.tenant_id, j.name, j.fence, j.due_at
  ), recorded as (
    insert into jobrunner.runs (
      user_id, id, outcome, tenant_id, job_name, worker_id, scheduled_at, started_at, request_count
    )
    select e.user_id, e.fence, 'complete', e.tenant_id, e.name, a.worker_id, a.due_at, a.started_at, a.requests
    from ended as e
    join asked as a on a.fence = e.fence
  )
  select array_agg(e.fence), array_agg(e.tenant_id), array_agg(e.name), count(*) filter (where e.due_at <= now())
  into v_done, v_tenant_ids, v_names, v_due
  from ended as e;
  if v_done is not null then
    perform jobrunner.report_sources(
      v_tenant_ids, v_names, array_fill(true, array[cardinality(v_done)]), array_fill(false, array[cardinality(v_done)])
    );
    if v_due > 0 then
      perform jobrunner.wake_workers(now(), in_jobs => v_due);
    end if;
  end if;
  return coalesce(v_done, '{}');
exception when lock_not_available then
  return '{}';
end
$$;
comment on function jobrunner.finish_idle_runs is 'Ends runs that found nothing to note. Not for callers: finish_runs.';
