create or replace function jobrunner.end_of(
  in_job jobrunner.jobs,
  in_outcome text,
  in_error_kind text,
  in_error text,
  in_crashes_allowed integer default null
) returns jobrunner.run_end
language sql volatile
as $$
-- What its run committed is looked for: nobody else knows. Without an outcome the run has not begun.
select (
  (in_job).user_id, (in_job).name, (in_job).fence, (in_job).nonce, in_outcome, in_error_kind, in_error, null, null, 0,
    null, null,
  in_outcome is not null, false, null, null, in_crashes_allowed, random(), null
)::jobrunner.run_end
$$;
comment on function jobrunner.end_of is 'The end of a run that is not told by its worker. Not for callers: the verbs that end runs.';
