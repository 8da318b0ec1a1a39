create or replace view jobrunner.raised_alerts as
with gauges as materialized (
  select g.name, g.labels, g.value from jobrunner.gauges as g
)
select 'users_stale' as alert, 'page' as severity, g.labels ->> 'job' as subject,
  format('%s %% of the users are stale', round(100 * (1 - g.value)::numeric, 1)) as detail
from gauges as g
where g.name = 'fresh_users_ratio' and g.labels ->> 'tenant' = '' and 1 - g.value > 0.144
union all
select 'jobs_late', 'page', null, format('a job has been due for %s', jobrunner.words_for(g.value * interval '1 s'))
from gauges as g
where g.name = 'oldest_due_seconds' and g.labels ->> 'tenant' = '' and g.value > 1800
union all
select 'runs_fail', 'ticket', r.job_name, format('%s runs failed in 15 minutes', r.count)
from (
  select r.job_name, count(*) as count
  from jobrunner.runs as r
  where r.ended_at > now() - interval '15 min' and r.outcome = 'failed'
  group by r.job_name
) as r
left join jobrunner.freshness_counts as f on f.job_name = r.job_name and f.tenant_id = 0
where r.count > greatest(coalesce(f.users, 0) / 10, 10)
union all
select 'jobs_need_somebody', 'ticket', g.labels ->> 'trouble',
  format('%s %s', g.value, case g.value when 1 then 'job' else 'jobs' end)
from gauges as g
where g.name = 'jobs_in_trouble' and g.labels ->> 'trouble' in (
  select k.kind from jobrunner.kinds_of_trouble as k where k.alerts
)
union all
select 'sweeps_delete_much', 'page', g.labels ->> 'job', format('%s rows were swept in this hour and the last', g.value)
from gauges as g
join gauges as u on u.name = 'usual_swept_rows' and u.labels = g.labels
where g.name = 'swept_rows' and g.value > 1000 and g.value > 8 * u.value
union all
select 'no_workers', 'page', null, 'no worker is alive'
where not exists (select from gauges as g where g.name = 'workers' and g.labels ->> 'health' = 'alive')
union all
select 'source_blocked', 'ticket', s.id, format('its breaker is open for %s tenants', count(*))
from (
  select s.tenant_id, split_part(s.name, '@', 1) as id
  from jobrunner.sources as s
  where s.blocked_until > now() and s.consecutive_failures >= 10
  group by s.tenant_id, split_part(s.name, '@', 1)
  having count(*) >= 10 or count(*) filter (where split_part(s.name, '@', 2) = '') > 0
) as s
group by s.id
union all
select 'snapshot_held', 'ticket', null,
  format('a snapshot of %s holds back the removal of dead rows', jobrunner.words_for(g.value * interval '1 s'))
from gauges as g
where g.name = 'oldest_snapshot_seconds' and g.value > 3600
union all
select 'clock_set_back', 'ticket', null,
  format('the server''s clock is %s behind a time that it has told', jobrunner.words_for(g.value * interval '1 s'))
from gauges as g
where g.name = 'clock_set_back_seconds' and g.value > 60
union all
select 'chore_stopped', 'page', g.labels ->> 'chore',
  format('it was last done %s ago', jobrunner.words_for(g.value * interval '1 s'))
from gauges as g
where g.name = 'chore_age_seconds' and g.value > 300;
comment on view jobrunner.raised_alerts is 'What should somebody know now? Empty when all is well: the alerts of deploy/prometheus/alerts.yaml, for who has no Prometheus.';
comment on column jobrunner.raised_alerts.alert is 'Its name; the runbook has it, too.';
comment on column jobrunner.raised_alerts.severity is 'page: at once; ticket: some time today.';
comment on column jobrunner.raised_alerts.subject is 'The job, trouble, source or chore that it is about; null: the installation.';
comment on column jobrunner.raised_alerts.detail is 'What it is.';
