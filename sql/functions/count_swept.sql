create or replace function jobrunner.count_swept() returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Adds to swept_counts, by job and hour, what full passes have deleted: of the runs that have ended since the last
-- time, up to a minute ago, since an end that is being committed can't be seen yet. Forgets what is older than eight
-- days.
-- Not for callers: count_waiting, which holds the chore's row.
declare
  v_until constant timestamptz := now() - interval '1 minute';
  v_since constant timestamptz := (select c.reached_at from jobrunner.chores as c where c.name = 'waiting');
begin
  insert into jobrunner.swept_counts as s (job_name, hour, rows)
  select r.job_name, date_trunc('hour', r.ended_at, 'UTC'), sum((r.counters).swept)
  from jobrunner.runs as r
  where r.ended_at > coalesce(v_since, v_until - interval '7 days') and r.ended_at <= v_until and (r.counters).swept > 0
  group by 1, 2
  on conflict (job_name, hour) do update
  set rows = s.rows + excluded.rows;
  delete from jobrunner.swept_counts as s where s.hour < now() - interval '8 days';
  update jobrunner.chores as c set reached_at = v_until where c.name = 'waiting';
end
$$;
comment on function jobrunner.count_swept is 'Counts what full passes have deleted. Not for callers: count_waiting.';
