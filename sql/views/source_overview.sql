create or replace view jobrunner.source_overview as
with troubled as materialized (
  select split_part(s.name, '@', 1) as source, s.blocked_until
  from (
    select s.name, s.blocked_until
    from jobrunner.sources as s
    where s.consecutive_failures > 0 or s.blocked_until is not null
    limit 1000
  ) as s
)
select f.source, f.jobs, f.per_second, b.blocked_count, b.failing_count,
  (select count(*) = 1000 from troubled) as may_be_more, h.requests, h.errors, h.mean_seconds, h.hours
from (
  select f.source, array_agg(f.name order by f.name) as jobs, min(f.per_second) as per_second
  from jobrunner.job_files as f
  group by f.source
) as f
cross join lateral (
  select count(*) filter (where s.blocked_until > now()) as blocked_count, count(*) as failing_count
  from troubled as s
  where s.source = f.source
) as b
left join (
  select h.subject, sum(h.requests) as requests, sum(h.errors) as errors,
    round((sum(h.seconds) / nullif(sum(h.requests), 0))::numeric, 3) as mean_seconds,
    jsonb_agg(jsonb_build_object('hours_ago', h.hours_ago, 'requests', h.requests, 'errors', h.errors, 'classes', h.classes,
      'mean_seconds', round((h.seconds / nullif(h.requests, 0))::numeric, 3)) order by h.hours_ago) as hours
  from (
    select c.subject, c.hours_ago, sum(c.value) filter (where c.measure = 'requests') as requests,
      coalesce(sum(c.value) filter (where c.measure = 'requests' and c.detail in ('5xx', 'error')), 0) as errors,
      sum(c.value) filter (where c.measure = 'request_seconds') as seconds,
      jsonb_object_agg(c.detail, c.value order by c.detail) filter (where c.measure = 'requests') as classes
    from (
      select h.measure, h.subject, h.detail, h.quarters_ago / 4 as hours_ago, sum(h.value) as value
      from jobrunner.history as h
      where h.measure in ('requests', 'request_seconds') and h.at > now() - interval '1 day'
      group by h.measure, h.subject, h.detail, h.quarters_ago / 4
    ) as c
    group by c.subject, c.hours_ago
  ) as h
  group by h.subject
) as h on h.subject = f.source
order by f.source;
comment on view jobrunner.source_overview is 'How are the sources? Budgets, breakers, and what they were asked in the last day.';
comment on column jobrunner.source_overview.source is 'Id of the source.';
comment on column jobrunner.source_overview.jobs is 'The job files that ask it.';
comment on column jobrunner.source_overview.per_second is 'Requests a second that it allows a tenant; null: no limit.';
comment on column jobrunner.source_overview.blocked_count is 'Tenants, or hosts of theirs, whose breaker is open; a thousand of all are looked at.';
comment on column jobrunner.source_overview.failing_count is 'Tenants, or hosts of theirs, that found it away lately; a thousand of all are looked at.';
comment on column jobrunner.source_overview.may_be_more is 'True: there were more than a thousand, and both counts may be greater.';
comment on column jobrunner.source_overview.requests is 'Requests in the last day; null: none.';
comment on column jobrunner.source_overview.errors is 'Of those, answered with 5xx or not at all.';
comment on column jobrunner.source_overview.mean_seconds is 'How long one took.';
comment on column jobrunner.source_overview.hours is 'The same by hours: hours_ago, requests, errors, classes of answers, mean_seconds.';
