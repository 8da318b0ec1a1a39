create or replace function jobrunner.is_fruitless(
  in_user_id bigint,
  in_job text,
  in_runs integer,
  in_at timestamptz
) returns boolean
language plpgsql stable parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Whether in_runs runs in a row that brought nothing new are enough to tell a person at in_at: ten of them, or two of
-- which the first began an hour before. Reads ten runs of one job at most. Not for callers.
begin
  return in_runs > 9 or in_runs > 1 and in_at >= interval '1 hour' + (
    select min(r.started_at)
    from (
      select p.started_at
      from jobrunner.runs as p
      where p.user_id = in_user_id and p.job_name = in_job and p.ended_at <= in_at
      order by p.ended_at desc
      limit in_runs
    ) as r
  );
end
$$;
comment on function jobrunner.is_fruitless is 'Whether runs that brought nothing new are to be told. Not for callers.';
