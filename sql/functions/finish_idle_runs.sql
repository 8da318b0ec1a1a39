create or replace function jobrunner.finish_idle_runs(
  in_ends jobrunner.run_end[]
) returns bigint[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set lock_timeout = '100ms'
as $$
-- Ends those of the runs that were complete and found nothing to note, without locking their jobs first, which would
-- write one more log record a run; returns their fences. A job that somebody holds is left to the caller, which locks
-- each row first. Whoever locks one between the look and the update makes the update wait: after 100 ms all of it is
-- undone and left to the caller.
-- Not for callers: finish_runs.
begin
  return (
    select coalesce(array_agg(e.fence), '{}')
    from jobrunner.end_claims(
      array(
        select i
        from unnest(in_ends) as i
        where i.outcome = 'complete' and i.ended_passes is null and i.calls is null and not i.has_committed
        order by i.user_id, i.name
      ),
      in_is_locked => false
    ) as e
  );
exception when lock_not_available then
  return '{}';
end
$$;
comment on function jobrunner.finish_idle_runs is 'Ends runs that found nothing to note. Not for callers: finish_runs.';
