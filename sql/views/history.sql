create or replace view jobrunner.history as
select h.at, h.measure, h.subject, h.detail, h.value,
  (extract(epoch from date_bin('15 minutes', now(), '2000-01-01 00:00:00+00') - h.at) / 900)::integer as quarters_ago
from jobrunner.history_counts as h;
comment on view jobrunner.history is 'What was in the last three days, by quarters of an hour? Filter by measure and at.';
comment on column jobrunner.history.at is 'When the quarter began; the last one is not over.';
comment on column jobrunner.history.measure is 'runs: ended runs of a job (subject) by outcome (detail), also those that left no row; requests: requests to a source by the class of the answer; request_seconds: how long those took together; fresh_percent: share of users whose data of a job is fresh, of all and of a tenant (detail); waiting: jobs that did not run, by reason, when they were counted.';
comment on column jobrunner.history.subject is 'The job, the source or the reason.';
comment on column jobrunner.history.detail is 'The outcome, the class or the tenant; empty: all together.';
comment on column jobrunner.history.value is 'The number.';
comment on column jobrunner.history.quarters_ago is 'How many quarters ago it began: 0 for the present one.';
