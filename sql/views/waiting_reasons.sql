create or replace view jobrunner.waiting_reasons as
select w.reason, t.name as tenant, w.jobs, w.may_be_more, w.since, now() - w.since as waiting_for,
  now() - c.done_at as counted_ago
from jobrunner.waiting_counts as w
left join jobrunner.tenants as t on t.id = w.tenant_id
cross join jobrunner.chores as c
where c.name = 'waiting' and (w.tenant_id = 0 or t.id is not null)
order by w.tenant_id <> 0, w.jobs desc, w.reason, t.name;
comment on view jobrunner.waiting_reasons is 'What does not run, and why? Of all tenants, and of the ten that have most of each reason; counted once a minute.';
comment on column jobrunner.waiting_reasons.reason is 'Due: no_worker, job_file_missing (no worker has it), tenant_limit, budget, suspect (may have killed two workers: each runs one at a time), slots. Due, or not due for now: breaker (of its source is open). Not due for now: deferred (by the source), backoff (after a failure), database (ours was in the way), key (its secret is sealed with one that workers lack), turn (another run uses the credential, or workers lack memory). Parked: paused, credential, quarantined.';
comment on column jobrunner.waiting_reasons.tenant is 'Name of the tenant; null: all tenants together.';
comment on column jobrunner.waiting_reasons.jobs is 'Jobs that wait for this reason; each is counted for the first in its way.';
comment on column jobrunner.waiting_reasons.may_be_more is 'True: there were more than are looked at at once.';
comment on column jobrunner.waiting_reasons.since is 'Since when the one that waits longest does.';
comment on column jobrunner.waiting_reasons.waiting_for is 'The same as a span.';
comment on column jobrunner.waiting_reasons.counted_ago is 'Age of the numbers: more than a few minutes, and no worker counts.';
