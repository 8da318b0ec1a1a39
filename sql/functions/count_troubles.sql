create or replace function jobrunner.count_troubles(
  in_most integer
) returns void
language sql volatile
set search_path = pg_catalog
set enable_seqscan = off
as $$
-- Counts the jobs that do not get on, by the first trouble that view jobs_in_trouble would name, of in_most at most: walks
-- an index that holds nothing of healthy jobs. Not for callers: count_waiting.
with troubled as materialized (
  select j.quarantined_at, j.reauth_needed_at, j.consecutive_failures, j.stalled_runs, j.deferrals
  from jobrunner.jobs as j
  where j.consecutive_failures > 0 or j.quarantined_at is not null or j.reauth_needed_at is not null or j.stalled_runs > 1
    or j.deferrals > 4 or j.fruitless_runs > 1
  order by j.user_id, j.name
  limit in_most
), counted as (
  select
    case
      when t.quarantined_at is not null then 'quarantined'
      when t.reauth_needed_at is not null then 'needs_reauth'
      when t.consecutive_failures > 0 then 'failing'
      when t.stalled_runs > 1 then 'stalled'
      when t.deferrals > 4 then 'deferred'
      else 'endless'
    end as trouble, count(*) as jobs
  from troubled as t
  group by 1
), gone as (
  delete from jobrunner.trouble_counts as t where not exists (select from counted as c where c.trouble = t.trouble)
)
insert into jobrunner.trouble_counts as t (trouble, jobs, may_be_more)
select c.trouble, c.jobs, (select count(*) from troubled) = in_most
from counted as c
on conflict (trouble) do update
set jobs = excluded.jobs, may_be_more = excluded.may_be_more
where (t.jobs, t.may_be_more) is distinct from (excluded.jobs, excluded.may_be_more)
$$;
comment on function jobrunner.count_troubles is 'Counts the jobs that do not get on. Not for callers: count_waiting.';
