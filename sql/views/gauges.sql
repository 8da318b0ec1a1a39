create or replace view jobrunner.gauges as
with counted as materialized (
  select w.reason, t.name as tenant, w.jobs, extract(epoch from now() - w.since) as seconds,
    w.reason in ('no_worker', 'job_file_missing', 'tenant_limit', 'budget', 'suspect', 'slots') as is_due
  from jobrunner.waiting_counts as w
  left join jobrunner.tenants as t on t.id = w.tenant_id
  where w.tenant_id = 0 or t.id is not null
), workers as materialized (
  select
    case
      -- Who is dead by now may have nobody who says so.
      when w.heartbeat_at < now() - interval '1 minute' then 'silent'
      when w.session_gone_at is not null then 'session gone'
      when w.draining_at is not null then 'draining'
      else 'alive'
    end as health, w.capacity, w.running_count
  from jobrunner.workers as w
  where w.ended_at is null
)
select 'due_jobs' as name, jsonb_build_object('reason', c.reason) as labels, c.jobs::double precision as value
from counted as c
where c.tenant is null and c.is_due
union all
select 'waiting_jobs', jsonb_build_object('reason', c.reason), c.jobs
from counted as c
where c.tenant is null and not c.is_due
union all
select 'oldest_due_seconds', jsonb_build_object('tenant', coalesce(c.tenant, '')), max(c.seconds)
from counted as c
where c.is_due
group by c.tenant
union all
select 'jobs_in_trouble', jsonb_build_object('trouble', t.trouble), t.jobs
from jobrunner.trouble_counts as t
union all
select 'fresh_users_ratio', jsonb_build_object('job', f.job_name, 'tenant', coalesce(t.name, '')),
  f.fresh::double precision / f.users
from jobrunner.freshness_counts as f
left join jobrunner.tenants as t on t.id = f.tenant_id
where f.counted_at is not null and f.users > 0 and (f.tenant_id = 0 or t.id is not null)
union all
select 'fresh_users_counted_seconds', jsonb_build_object('job', f.job_name), extract(epoch from now() - f.counted_at)
from jobrunner.freshness_counts as f
where f.counted_at is not null and f.users > 0 and f.tenant_id = 0
union all
select s.name, jsonb_build_object('job', s.job_name), s.rows
from (
  select s.job_name, coalesce(sum(s.rows) filter (where s.hour >= h.last), 0) as now,
    coalesce(sum(s.rows) filter (where s.hour < h.last and s.hour >= h.last - interval '7 days'), 0) / 7 as usual
  from jobrunner.swept_counts as s
  cross join (select date_trunc('hour', now(), 'UTC') - interval '1 hour' as last) as h
  group by s.job_name
) as c
cross join lateral (values ('swept_rows', c.job_name, c.now), ('usual_swept_rows', c.job_name, c.usual)) as s (name,
  job_name, rows)
union all
-- One that was never done is as old as the schema.
select 'chore_age_seconds', jsonb_build_object('chore', c.name),
  extract(epoch from now() - coalesce(c.done_at, m.applied_at))
from jobrunner.chores as c
cross join (select min(m.applied_at) as applied_at from jobrunner.migrations as m) as m
where c.name in ('waiting', 'freshness', 'reconcile')
union all
select 'clock_set_back_seconds', '{}', greatest(coalesce(max(extract(epoch from c.latest_at - now())), 0), 0)
from jobrunner.chores as c
union all
select 'source_blocked', jsonb_build_object('source', s.id), count(*)
from (
  -- One of many hosts is its user's trouble; ten are the source's.
  select s.tenant_id, split_part(s.name, '@', 1) as id
  from jobrunner.sources as s
  where s.blocked_until > now()
  group by s.tenant_id, split_part(s.name, '@', 1)
  having count(*) >= 10 or count(*) filter (where split_part(s.name, '@', 2) = '') > 0
) as s
group by s.id
union all
select 'workers', jsonb_build_object('health', w.health), count(*)
from workers as w
group by w.health
union all
select 'workers_with_other_files', '{}'::jsonb, count(*)
from jobrunner.workers as w
where w.ended_at is null and w.heartbeat_at >= now() - interval '1 minute' and jobrunner.other_files(w) <> '{}'
union all
select 'worker_slots', jsonb_build_object('state', s.state), coalesce(sum(s.slots), 0)
from (select w.capacity, w.running_count from workers as w where w.health in ('alive', 'draining')) as w
cross join lateral (values ('busy', w.running_count), ('free', greatest(w.capacity - w.running_count, 0))) as s (state,
  slots)
group by s.state
union all
select 'database_sessions', jsonb_build_object('state', f.state), f.sessions
from jobrunner.session_figures() as f
union all
select 'oldest_snapshot_seconds', '{}', coalesce(max(f.oldest_snapshot_seconds), 0)
from jobrunner.session_figures() as f;
comment on view jobrunner.gauges is 'How is it now, in numbers? What jobrunner serve tells Prometheus, each metric''s name without jobrunner_; read from what was counted, at most a few hundred rows.';
comment on column jobrunner.gauges.name is 'Name of the number.';
comment on column jobrunner.gauges.labels is 'What it is of: never a user, tenants only as the worst ten.';
comment on column jobrunner.gauges.value is 'The number.';
