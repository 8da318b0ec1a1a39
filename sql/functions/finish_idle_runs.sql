create or replace function jobrunner.finish_idle_runs(
  in_places tid[],
  in_fences bigint[],
  in_nonces uuid[],
  in_unchanged boolean[],
  in_hosts text[]
) returns bigint[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set lock_timeout = '100ms'
as $$
-- Ends runs that were complete and have nothing to note, by the places where claims have left their rows (take_jobs),
-- in the order of the arrays; returns their fences. What follows for their jobs is after_run's to say, as of any run.
-- The others are left to finish_runs, which locks each row first, and so writes one more log record a run. These are
-- jobs that somebody has locked or changed since the claim, that a person asked for, which history tells, and those of
-- which an error is over.
-- xmax is the claim's own lock where nobody has locked the row since, which its version was made with (xmin), or 0.
-- Whoever changes a row between the look and the update makes another version, which is left alone; who locks one makes
-- the update wait, and after 100 ms all of it is undone and left.
-- in_unchanged: what run_end.is_unchanged is. in_hosts: the hosts that users chose; else null.
declare
  v_user_ids bigint[];
  v_names text[];
  v_fences bigint[];
  v_tenant_ids bigint[];
  v_started_at timestamptz[];
  v_hosts text[];
  v_due bigint;
  v_due_since timestamptz;
begin
  with ended as (
    update jobrunner.jobs as j
    set (worker_id, started_at, deadline_at, next_due_at, cancel_requested_at) = row (null, null, null, null, null),
      (rerun_requested, rerun_forced, rerun_entity) = row (false, false, null),
      (due_at, deferred_until, priority, force_requested, entity_requested, reauth_needed_at, quarantined_at,
        quarantine_reason) =
        row (n.due_at, n.deferred_until, n.priority, n.force_requested, n.entity_requested, n.reauth_needed_at,
          n.quarantined_at, n.quarantine_reason),
      (consecutive_failures, crashes, stalled_runs, deferrals, fruitless_runs) =
        row (n.consecutive_failures, n.crashes, n.stalled_runs, n.deferrals, n.fruitless_runs),
      (last_outcome, last_error_kind, last_error, last_error_at, last_run_at, last_success_at, unchanged_at) =
        row (n.last_outcome, n.last_error_kind, n.last_error, n.last_error_at, n.last_run_at, n.last_success_at,
          n.unchanged_at)
    from unnest(in_places, in_fences, in_nonces, in_unchanged, in_hosts) as e (place, fence, nonce, is_unchanged, host)
    join jobrunner.jobs as b
      on b.ctid = e.place and b.fence = e.fence and b.nonce = e.nonce and b.state = 'running'
        and b.priority < 1 and b.last_error_kind is null
    cross join lateral jobrunner.after_run(
      b,
      -- Written out, so that the planner leaves out what never follows for such a run.
      row (null, null, null, null, 'complete', null, null, null, null, null, null, null, false, e.is_unchanged, null,
        null, null, null, null)::jobrunner.run_end,
      false, false
    ) as n
    where j.ctid = b.ctid and j.xmin = b.xmin and b.xmax in ('0', b.xmin)
    returning j.user_id, j.name, j.fence, j.tenant_id, j.due_at, b.started_at, e.host
  )
  select array_agg(c.user_id), array_agg(c.name), array_agg(c.fence), array_agg(c.tenant_id), array_agg(c.started_at),
    array_agg(c.host), count(*) filter (where c.due_at <= now()), min(c.due_at) filter (where c.due_at <= now())
  into v_user_ids, v_names, v_fences, v_tenant_ids, v_started_at, v_hosts, v_due, v_due_since
  from ended as c;

  if v_due > 0 then
    perform jobrunner.wake_workers(v_due_since, in_jobs => v_due);
  end if;
  if v_fences is not null then
    if jobrunner.tells_of('sync') then
      perform jobrunner.tell_events('sync_ended', v_user_ids, v_names, v_fences,
        in_details => array_fill('{"outcome": "complete", "changed": 0, "pushed": 0}'::jsonb,
          array[cardinality(v_fences)]));
    end if;
    perform jobrunner.report_sources(v_tenant_ids, v_names, v_started_at,
      array_fill(true, array[cardinality(v_fences)]), array_fill(false, array[cardinality(v_fences)]), v_hosts);
  end if;
  return coalesce(v_fences, '{}');
exception when lock_not_available then
  return '{}';
end
$$;
comment on function jobrunner.finish_idle_runs is 'Ends runs that have nothing to note, and returns the fences of those that it ended.';
