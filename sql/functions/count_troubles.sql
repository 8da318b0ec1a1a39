create or replace function jobrunner.count_troubles(
  in_most integer
) returns void
language sql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
-- Counts the jobs, entities and runs that do not get on, by the trouble that view jobs_in_trouble would name first: of
-- jobs in_most at most. Of entities that fail, whose trouble waits for a person, or that are skipped, as many each.
-- Walks indexes that hold nothing of healthy jobs, those that merely fail last: when a source is away they are many,
-- and must not hide others. Left out, since they can be found only by reading everything, are jobs that are lacking,
-- and passes without an end whose runs bring something new.
-- Not for callers: count_waiting.
with troubled as materialized (
  select j.last_error_kind, j.quarantined_at, j.reauth_needed_at, j.consecutive_failures, j.stalled_runs, j.deferrals
  from jobrunner.jobs as j
  where j.consecutive_failures > 0 or j.quarantined_at is not null or j.reauth_needed_at is not null
    or j.stalled_runs > 1
    or j.deferrals > 4 or j.fruitless_runs > 1
  order by (j.consecutive_failures > 0 and j.quarantined_at is null and j.reauth_needed_at is null), j.user_id, j.name
  limit in_most
), entities as materialized (
  select k.user_id, k.job_name
  from jobrunner.checkpoints as k
  where k.last_error_kind is not null
  order by k.job_name, k.user_id
  limit in_most
), standing as materialized (
  select k.troubles
  from jobrunner.checkpoints as k
  where k.troubles is not null
  order by k.job_name, k.user_id
  limit in_most
), skipped as materialized (
  select k.user_id
  from jobrunner.checkpoints as k
  where k.skipped_since is not null
  order by k.job_name, k.user_id
  limit in_most
), found as (
  select
    case
      when t.quarantined_at is not null then 'quarantined'
      when t.last_error_kind = 'client_refused' and (t.reauth_needed_at is not null or t.consecutive_failures > 0)
        then 'client_refused'
      when t.reauth_needed_at is not null then 'needs_reauth'
      when t.consecutive_failures > 0 then 'failing'
      when t.stalled_runs > 1 then 'stalled'
      when t.deferrals > 4 and t.last_error_kind = 'no_key' then 'no_key'
      when t.deferrals > 4 then 'deferred'
      else 'endless'
    end as trouble, (select count(*) from troubled) = in_most as may_be_more
  from troubled as t
  union all
  select k.kind, (select count(*) from standing) = in_most
  from standing as s, jsonb_object_keys(s.troubles) as k (kind)
  union all
  select 'entity_failing', (select count(*) from entities) = in_most
  from entities as e
  where not exists (
    select from jobrunner.jobs as j where j.user_id = e.user_id and j.name = e.job_name and j.consecutive_failures > 0
  )
  union all
  select 'entity_skipped', (select count(*) from skipped) = in_most
  from skipped as s
  union all
  select case when w.id is null or w.ended_at is not null then 'orphaned' else 'overdue' end, false
  from jobrunner.held_jobs() as h
  left join jobrunner.workers as w on w.id = h.worker_id
  where w.id is null or w.ended_at < now() - interval '1 minute' or h.deadline_at < now() - interval '1 minute'
), counted as (
  select f.trouble, count(*) as jobs, bool_or(f.may_be_more) as may_be_more from found as f group by f.trouble
), gone as (
  delete from jobrunner.trouble_counts as t where not exists (select from counted as c where c.trouble = t.trouble)
)
insert into jobrunner.trouble_counts as t (trouble, jobs, may_be_more)
select c.trouble, c.jobs, c.may_be_more from counted as c
on conflict (trouble) do update
set jobs = excluded.jobs, may_be_more = excluded.may_be_more
where (t.jobs, t.may_be_more) is distinct from (excluded.jobs, excluded.may_be_more)
$$;
comment on function jobrunner.count_troubles is 'Counts the jobs that do not get on. Not for callers: count_waiting.';
