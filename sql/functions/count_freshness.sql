create or replace function jobrunner.count_freshness(
  in_most integer default 5000
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
-- Counts whose data is fresh, job by job: of all users, and of the ten tenants in which most users are stale. Who can
-- have no fresh data, since he is paused or lacks what the job requires, does not count. Fresh is what is not older
-- than its period, a tenth of that and the deadline: a run may begin late and last.
-- Counts in_most users each minute, tenant by tenant, by whichever worker comes first, and begins again when all were
-- counted. Returns false when it is not time. The counts of the last whole round are in freshness_counts: of 100,000
-- users they are twenty minutes old at most, of 5,000 one.
declare
  worst constant integer := 10;
  v_tenant bigint;
  v_key text;
  v_last record;
begin
  if jobrunner.take_chore('freshness', '1 minute') is null then
    return false;
  end if;
  select c.place, c.place_key into v_tenant, v_key from jobrunner.chores as c where c.name = 'freshness';
  with part as materialized (
    select u.id, u.tenant_id, u.key
    from jobrunner.users as u
    where (u.tenant_id, u.key) > (coalesce(v_tenant, 0), coalesce(v_key, ''))
    order by u.tenant_id, u.key
    limit in_most
  ), counted as materialized (
    select j.name, p.tenant_id, count(*) as users,
      count(*) filter (where j.last_success_at >= now() - 1.1 * j.every - j.deadline) as fresh,
      count(*) filter (where j.last_success_at is null) as never
    from part as p
    join jobrunner.jobs as j on j.user_id = p.id
    join jobrunner.tenants as t on t.id = p.tenant_id
    where j.paused_at is null and t.paused_at is null and j.last_outcome is distinct from 'skipped'
    group by j.name, p.tenant_id
  ), added as (
    insert into jobrunner.freshness_counts as f (job_name, tenant_id, round_users, round_fresh, round_never)
    select c.name, 0, sum(c.users), sum(c.fresh), sum(c.never) from counted as c group by c.name
    on conflict (job_name, tenant_id) do update
    set round_users = f.round_users + excluded.round_users, round_fresh = f.round_fresh + excluded.round_fresh,
      round_never = f.round_never + excluded.round_never
  ), of_tenant as (
    select c.name, c.tenant_id, sum(c.users) as users, sum(c.fresh) as fresh, sum(c.never) as never
    from (
      select c.* from counted as c
      union all
      select f.job_name, f.tenant_id, f.round_users, f.round_fresh, f.round_never
      from jobrunner.freshness_counts as f
      where f.tenant_id > 0 and f.round_users > 0
    ) as c
    group by c.name, c.tenant_id
  ), ranked as (
    select o.*, row_number() over (partition by o.name order by o.users - o.fresh desc, o.users, o.tenant_id) as place
    from of_tenant as o
  ), kept as materialized (
    select r.name, r.tenant_id, r.users, r.fresh, r.never
    from ranked as r
    -- The part may end in the midst of a tenant's users.
    where r.place <= worst and r.fresh < r.users or r.tenant_id = (select max(p.tenant_id) from part as p)
  ), passed as (
    update jobrunner.freshness_counts as f
    set round_users = 0, round_fresh = 0, round_never = 0
    where f.tenant_id > 0 and f.round_users > 0
      and not exists (select from kept as k where k.name = f.job_name and k.tenant_id = f.tenant_id)
  ), noted as (
    insert into jobrunner.freshness_counts as f (job_name, tenant_id, round_users, round_fresh, round_never)
    select k.name, k.tenant_id, k.users, k.fresh, k.never from kept as k
    on conflict (job_name, tenant_id) do update
    set round_users = excluded.round_users, round_fresh = excluded.round_fresh, round_never = excluded.round_never
  )
  select p.tenant_id, p.key, (select count(*) from part) as users into v_last
  from part as p
  order by p.tenant_id desc, p.key desc
  limit 1;
  if coalesce(v_last.users, 0) = in_most then
    update jobrunner.chores as c set place = v_last.tenant_id, place_key = v_last.key where c.name = 'freshness';
    return true;
  end if;
  update jobrunner.freshness_counts as f
  set users = f.round_users, fresh = f.round_fresh, never = f.round_never, round_users = 0, round_fresh = 0,
    round_never = 0,
    counted_at = now();
  delete from jobrunner.freshness_counts as f
  where f.users = 0 or f.tenant_id > 0 and (
    f.fresh = f.users
    or worst <= (
      select count(*)
      from jobrunner.freshness_counts as o
      where o.job_name = f.job_name and o.tenant_id > 0
        and (o.users - o.fresh, -o.users, -o.tenant_id) > (f.users - f.fresh, -f.users, -f.tenant_id)
    )
  );
  update jobrunner.chores as c set place = null, place_key = null where c.name = 'freshness';
  return true;
end
$$;
comment on function jobrunner.count_freshness is 'Counts a part of the users each minute: whose data is fresh.';
