create or replace function jobrunner.quarantine_of(
  in_job jobrunner.jobs,
  in_end jobrunner.run_end,
  in_has_progress boolean
) returns table (
  reason text,
  span interval
)
language sql stable parallel safe
as $$
-- Whether a run's end sets its job aside, why and for how long; a reason of null: it does not.
-- 1 min, doubling up to 24 h for each time in a row, so that a job that only shared its worker with a bad one comes
-- back by itself. Without a set clause, so that PostgreSQL writes it into its caller. Not for callers: after_run.
select q.reason,
  case
    when q.reason is not null
    then least(interval '24 hours', interval '1 minute' * power(2, least(greatest(q.times, 1), 20) - 1))
  end
from (
  select
    case
      when in_has_progress then null
      when (in_end).error_kind = 'crashed' and (in_job).crashes >= (in_end).crashes_allowed
        then 'its worker died in three runs in a row'
      when (in_end).error_kind = 'deadline' and (in_job).stalled_runs >= 4
        then 'no page was committed in five runs, each of which met its deadline'
    end as reason,
    case when (in_end).error_kind = 'crashed' then (in_job).crashes - 1 else (in_job).stalled_runs - 3 end as times
) as q
$$;
comment on function jobrunner.quarantine_of is 'Decides whether the end of a run sets its job aside. Not for callers: after_run.';
