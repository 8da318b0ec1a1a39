create or replace view jobrunner.causes as
select c.source, t.name as tenant, c.error_kind, coalesce(k.words, 'says ' || c.error_kind) as words,
  coalesce(k.is_urgent, false) as is_urgent, c.users, c.may_be_more, c.is_whole, c.since,
  now() - c.since as lasting, c.job_name as job, u.key as user_key,
  coalesce(j.quarantine_reason, j.last_error) as error,
  jobrunner.cause_hint(c.error_kind, c.source, t.name, c.job_name, u.key) as hint,
  now() - h.done_at as counted_ago
from jobrunner.cause_counts as c
join jobrunner.tenants as t on t.id = c.tenant_id
join jobrunner.users as u on u.id = c.user_id
left join jobrunner.jobs as j on j.user_id = c.user_id and j.name = c.job_name
left join jobrunner.cause_kinds as k on k.kind = c.error_kind
left join jobrunner.chores as h on h.name = 'waiting'
order by coalesce(k.is_urgent, false) desc, c.is_whole desc, c.users desc, c.since, t.name, c.source, c.error_kind;
comment on view jobrunner.causes is 'What keeps whose users from being synced, and what helps? Counted once a minute; the worst first.';
comment on column jobrunner.causes.source is 'The source.';
comment on column jobrunner.causes.tenant is 'Name of the tenant.';
comment on column jobrunner.causes.error_kind is 'Kind of the error: one of cause_kinds, or a word of the job file''s own.';
comment on column jobrunner.causes.words is 'What it means, behind the name of the source.';
comment on column jobrunner.causes.is_urgent is 'It does not end by itself.';
comment on column jobrunner.causes.users is 'How many users have it.';
comment on column jobrunner.causes.may_be_more is 'True: there were more than are looked at at once.';
comment on column jobrunner.causes.is_whole is 'True: of the tenant''s users that ran a job of the source, none that was looked at is well.';
comment on column jobrunner.causes.since is 'Since when the one has it who has had it the longest.';
comment on column jobrunner.causes.lasting is 'The same as a span.';
comment on column jobrunner.causes.job is 'An example: the job of the one who has had it the longest.';
comment on column jobrunner.causes.user_key is 'And the user.';
comment on column jobrunner.causes.error is 'And what happened to it last.';
comment on column jobrunner.causes.hint is 'What helps, with the example''s names.';
comment on column jobrunner.causes.counted_ago is 'Age of the numbers: more than a few minutes, and no worker counts.';
