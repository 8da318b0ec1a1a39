create or replace function jobrunner.count_freshness(
  in_most integer default 5000
) returns boolean
language plpgsql volatile
set search_path = pg_catalog
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
-- Counts whose data is fresh, job by job; who can have none, since he is paused or lacks what the job requires, does not count. Fresh is
-- what is not older than its period, a tenth of that and the deadline: a run may begin late and last. Counts in_most users each minute, by whichever worker comes first, and begins again
-- when all were counted. Returns false when it is not time. The counts of the last round are in freshness_counts: of 100,000 users
-- they are twenty minutes old at most, of 5,000 one.
declare
  v_place bigint;
  v_last bigint;
  v_count integer;
begin
  select c.place into v_place
  from jobrunner.chores as c
  where c.name = 'freshness' and (c.done_at > now() or c.done_at <= now() - interval '1 minute' or c.done_at is null)
  for no key update skip locked;
  if not found then
    return false;
  end if;
  with part as materialized (
    select u.id from jobrunner.users as u where u.id > coalesce(v_place, 0) order by u.id limit in_most
  ), counted as (
    select j.name, count(*) as users, count(*) filter (where j.last_success_at >= now() - 1.1 * j.every - j.deadline) as fresh,
      count(*) filter (where j.last_success_at is null) as never
    from part as s
    join jobrunner.jobs as j on j.user_id = s.id
    join jobrunner.tenants as t on t.id = j.tenant_id
    where j.paused_at is null and t.paused_at is null and j.last_outcome is distinct from 'skipped'
    group by j.name
  ), added as (
    insert into jobrunner.freshness_counts as f (job_name, round_users, round_fresh, round_never)
    select c.name, c.users, c.fresh, c.never from counted as c
    on conflict (job_name) do update
    set round_users = f.round_users + excluded.round_users, round_fresh = f.round_fresh + excluded.round_fresh,
      round_never = f.round_never + excluded.round_never
  )
  select count(*), max(s.id) into v_count, v_last from part as s;
  if v_count < in_most then
    update jobrunner.freshness_counts as f
    set users = f.round_users, fresh = f.round_fresh, never = f.round_never, round_users = 0, round_fresh = 0, round_never = 0,
      counted_at = now();
    delete from jobrunner.freshness_counts as f where f.users = 0;
    v_last := null;
  end if;
  update jobrunner.chores as c
  set done_at = clock_timestamp(), latest_at = greatest(c.latest_at, now()), place = v_last
  where c.name = 'freshness';
  return true;
end
$$;
comment on function jobrunner.count_freshness is 'Counts a part of the users each minute: whose data is fresh.';
