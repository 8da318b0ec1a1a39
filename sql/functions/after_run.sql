create or replace function jobrunner.after_run(
  in_job jobrunner.jobs,
  in_end jobrunner.run_end,
  in_has_progress boolean,
  in_has_changes boolean
) returns table (
  due_at timestamptz,
  deferred_until timestamptz,
  priority smallint,
  force_requested boolean,
  entity_requested text,
  reauth_needed_at timestamptz,
  quarantined_at timestamptz,
  quarantine_reason text,
  consecutive_failures integer,
  crashes integer,
  stalled_runs integer,
  deferrals integer,
  fruitless_runs integer,
  last_outcome text,
  last_error_kind text,
  last_error text,
  last_error_at timestamptz,
  last_run_at timestamptz,
  last_success_at timestamptz,
  unchanged_at timestamptz
)
language sql stable parallel safe
as $$
-- What follows for a job from the way its run ended; the one place that says so. Without an outcome the run had not
-- begun, and all is as before. Without a set clause, so that PostgreSQL writes it into its caller. Not for callers:
-- end_claims. A run that was complete has honoured what was asked of it; any other hands it on to the run that follows,
-- together with what was asked meanwhile. So has one that has read all, and of which the source refuses edits one by
-- one: it goes on as after a complete one, and tells the error. One that a person has stopped is asked for no longer:
-- the job waits for its next tick. A counter at its type's end stays there, or no outcome of the batch could be
-- written.
select
  case
    when o.is_released then (in_job).due_at
    when q.reason is not null then now() + q.span
    when (in_end).error_kind = 'crashed' then now()
    -- Our database was in the way: at once, each would meet it again.
    when o.is_partial and (in_end).error_kind = 'database' then now() + make_interval(secs => 1 + 2 * (in_end).chance)
    when o.deferred_until is not null then o.deferred_until
    -- The source asked for patience with single edits.
    when o.is_complete and (in_end).wait_ms > 0 and not (in_job).rerun_requested
      then least(jobrunner.tick_after_run((in_job).next_due_at, now(), (in_job).every, (in_job).phase),
        now() + (in_end).wait_ms * interval '1 ms')
    -- A pass without an end would read the same for ever, and keep a slot busy with it. A long list that has not
    -- changed is read in a few such runs.
    when o.is_fruitless and not (in_job).rerun_requested
      then now() + make_interval(secs => least(300, power(2, least(greatest((in_job).fruitless_runs - 2, 0), 20)) - 1))
    when (in_job).rerun_requested or o.is_partial or o.is_deferred or o.is_renewed then now()
    when o.is_failed
      then now() + jobrunner.backoff(least((in_job).consecutive_failures, 2147483646) + 1, (in_job).every,
        (in_end).chance)
    else jobrunner.tick_after_run((in_job).next_due_at, now(), (in_job).every, (in_job).phase)
  end,
  case when o.is_released then (in_job).deferred_until else o.deferred_until end,
  case
    when o.is_released then (in_job).priority
    when (in_job).rerun_requested then 1
    -- What was asked for and made room, or was broken off by us, is asked for still.
    when o.is_partial and (in_end).error_kind in ('yielded', 'shutdown', 'database', 'crashed') then (in_job).priority
    -- Who was added with many keeps to their lane until a run of theirs is complete.
    when (in_job).priority = -1 and not o.is_complete then -1
    else 0
  end::smallint,
  (in_job).rerun_forced or (in_job).force_requested and not o.has_honoured,
  case
    when o.has_honoured then (in_job).rerun_entity
    when not (in_job).rerun_requested or (in_job).rerun_entity = (in_job).entity_requested
      then (in_job).entity_requested
  end,
  case when (in_end).outcome = 'needs_reauth' and not o.is_renewed then now() else (in_job).reauth_needed_at end,
  case when q.reason is not null then now() end,
  q.reason,
  case
    when o.is_complete then 0
    when o.is_failed then least((in_job).consecutive_failures, 2147483646) + 1
    else (in_job).consecutive_failures
  end,
  case
    when o.is_released then (in_job).crashes
    when (in_end).error_kind = 'crashed' and not in_has_progress then least((in_job).crashes, 2147483646) + 1
    else 0
  end,
  case
    when o.is_complete or in_has_progress then 0
    when (in_end).error_kind = 'deadline' then least((in_job).stalled_runs, 2147483646) + 1
    else (in_job).stalled_runs
  end,
  case
    when o.is_released then (in_job).deferrals
    when o.is_deferred and not in_has_progress then least((in_job).deferrals, 2147483646) + 1
    else 0
  end,
  case
    when o.is_complete or in_has_changes then 0
    when o.is_fruitless then least((in_job).fruitless_runs, 2147483646) + 1
    else (in_job).fruitless_runs
  end,
  coalesce((in_end).outcome, (in_job).last_outcome),
  case when o.tells_error then (in_end).error_kind when not o.is_complete then (in_job).last_error_kind end,
  case when o.tells_error then (in_end).error when not o.is_complete then (in_job).last_error end,
  case when o.tells_error then now() when not o.is_complete then (in_job).last_error_at end,
  case when o.is_released then (in_job).last_run_at else now() end,
  case when o.is_complete then now() else (in_job).last_success_at end,
  case when (in_end).is_unchanged then now() else (in_job).unchanged_at end
from (
  select (in_end).outcome is null as is_released,
    coalesce((in_end).outcome = 'complete', false) or e.is_unsent as is_complete,
    coalesce((in_end).outcome = 'partial', false) and not e.is_unsent and not e.is_stopped as is_partial,
    coalesce((in_end).outcome = 'partial' and (in_end).error_kind in ('page_cap', 'deadline'), false)
      and in_has_progress and not in_has_changes as is_fruitless,
    coalesce((in_end).outcome = 'deferred', false) as is_deferred,
    coalesce((in_end).outcome = 'failed', false) as is_failed,
    coalesce((in_end).outcome in ('complete', 'skipped'), false) or e.is_unsent or e.is_stopped as has_honoured,
    coalesce((in_end).outcome in ('failed', 'needs_reauth', 'deferred'), false) or e.is_unsent as tells_error,
    -- A secret that the run had not read came too late for it.
    coalesce((in_end).is_renewed, false) as is_renewed,
    case
      when (in_end).outcome = 'deferred' and not (in_job).rerun_forced
        then now() + jobrunner.deferral(
          make_interval(secs => (in_end).wait_ms / 1000.0),
          case when in_has_progress then 1 else least((in_job).deferrals, 2147483646) + 1 end,
          (in_end).chance
        )
    end as deferred_until
  from (
    select coalesce(jobrunner.keeps_edits((in_end).outcome, (in_end).error_kind), false) as is_unsent,
      -- With its job, user or tenant a run is stopped until they go on.
      coalesce((in_end).error_kind = 'cancelled', false) and (in_job).cancel_requested_at is not null
        and (in_job).paused_at is null
        as is_stopped
  ) as e
) as o
cross join lateral jobrunner.quarantine_of(in_job, in_end, in_has_progress) as q
$$;
comment on function jobrunner.after_run is 'What follows for a job from the way its run ended. Not for callers: end_claims.';
