-- breaking: a worker of before takes an advisory lock for its session, which nobody looks for any more.
-- Whether a worker's session is there is seen in the list of sessions, where nobody can stand in for it.

alter table jobrunner.workers
  add column session_pid integer,
  add column session_started_at timestamptz,
  add column left_user_ids bigint[],
  add column left_names text[],
  add constraint what_a_worker_left_is_named_in_pairs check (
    cardinality(left_user_ids) is not distinct from cardinality(left_names)
  );
comment on column jobrunner.workers.session_pid is 'The server''s process of the session that stands for the worker.';
comment on column jobrunner.workers.session_started_at is 'When that session began: another may get its process number.';
comment on column jobrunner.workers.left_user_ids is 'Once it has ended: users of the jobs that a transaction kept locked when they were taken from it.';
comment on column jobrunner.workers.left_names is 'The names of these jobs.';
comment on column jobrunner.workers.id is 'Number of the worker.';
