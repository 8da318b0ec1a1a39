create or replace function jobrunner.endless_runs(
  in_ends jobrunner.run_end[]
) returns table (
  user_id bigint,
  name text,
  fence bigint
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
-- Of runs that have just ended, those with which their job began to count as one whose pass does not end: once for each
-- job until it is complete again. Not for callers: finish_runs.
#variable_conflict use_column
begin
  return query
    select e.user_id, e.name, e.fence
    from unnest(in_ends) as e
    join jobrunner.jobs as j on j.user_id = e.user_id and j.name = e.name
    where e.outcome = 'partial' and j.fruitless_runs > 1
      and jobrunner.is_fruitless(j.user_id, j.name, j.fruitless_runs, now())
      -- The run before was not told of.
      and not jobrunner.is_fruitless(j.user_id, j.name, j.fruitless_runs - 1, (
        select max(p.ended_at)
        from jobrunner.runs as p
        where p.user_id = j.user_id and p.job_name = j.name and p.ended_at < now()
      ))
    union
    select e.user_id, e.name, e.fence
    from unnest(in_ends) as e
    join jobrunner.jobs as j on j.user_id = e.user_id and j.name = e.name
    where e.outcome = 'partial' and coalesce(j.last_success_at < now() - interval '1 day', true)
      and exists (
        select from jobrunner.checkpoints as k
        where k.user_id = j.user_id and k.job_name = j.name and k.pass_kind is not null and k.page_number >= 100
      )
      -- The run before was not told of.
      and jobrunner.endless_at(j.user_id, j.name, j.last_success_at) > (
        select max(p.ended_at)
        from jobrunner.runs as p
        where p.user_id = j.user_id and p.job_name = j.name and p.outcome = 'partial' and (p.counters).pages > 0
          and p.ended_at < now()
      )
      and jobrunner.endless_at(j.user_id, j.name, j.last_success_at) <= now();
end
$$;
comment on function jobrunner.endless_runs is 'Runs with which a pass began to be called endless. Not for callers: finish_runs.';
