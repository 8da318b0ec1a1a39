-- What passes, pushes, freshness and triggers remember.

alter table jobrunner.checkpoints
  add column pass_is_whole boolean not null default true,
  add column last_full_at timestamptz,
  add column validator text,
  add column probe text,
  add column pass_validator text,
  add column pass_probe text,
  add column repair_requested boolean not null default false,
  add column record_failures jsonb not null default '[]',
  add column run_swept_count bigint not null default 0,
  add column run_pushed_count bigint not null default 0,
  add column run_push_failed_count bigint not null default 0,
  add constraint checkpoint_has_at_most_five_record_failures check (jsonb_array_length(record_failures) <= 5);
comment on column jobrunner.checkpoints.pass_is_whole is 'False: a record of the pass in progress could not be read, so what it does not show may still exist (ST16).';
comment on column jobrunner.checkpoints.last_full_at is 'When the last full pass that was read to its end began; full_every counts from here.';
comment on column jobrunner.checkpoints.validator is 'ETag and Last-Modified of the last pass''s first answer, with the address they belong to.';
comment on column jobrunner.checkpoints.probe is 'What the probe said when the last pass was read.';
comment on column jobrunner.checkpoints.pass_validator is 'The validator of the pass in progress, so that it holds after an interruption.';
comment on column jobrunner.checkpoints.pass_probe is 'What the probe said before the pass in progress.';
comment on column jobrunner.checkpoints.repair_requested is 'The full pass that was asked for is a repair: rows it does not show lose their tag and are sent anew (LU22).';
comment on column jobrunner.checkpoints.record_failures is 'The last five distinct failures of single records: [{code, reason, record, wait_s, at}] (LU26).';
comment on column jobrunner.checkpoints.run_swept_count is 'Rows that run deleted because its full pass did not show them.';
comment on column jobrunner.checkpoints.run_pushed_count is 'Local edits and deletions that run brought to the source.';
comment on column jobrunner.checkpoints.run_push_failed_count is 'Local edits that the source refused in that run; they stay unsent.';

alter table jobrunner.runs
  add column swept_count bigint not null default 0,
  add column pushed_count bigint not null default 0,
  add column push_failed_count bigint not null default 0;
comment on column jobrunner.runs.swept_count is 'Rows it deleted because a full pass did not show them.';
comment on column jobrunner.runs.pushed_count is 'Local edits and deletions it brought to the source (MS25).';
comment on column jobrunner.runs.push_failed_count is 'Local edits that the source refused.';

create table jobrunner.seen_pages (
  user_id bigint not null,
  job_name text not null,
  entity text not null,
  page_number integer not null,
  keys bigint[] not null,
  primary key (user_id, job_name, entity, page_number)
);
comment on table jobrunner.seen_pages is 'What the full pass in progress has shown, for the sweep at its end; empty between passes.';
comment on column jobrunner.seen_pages.user_id is 'Whose data.';
comment on column jobrunner.seen_pages.job_name is 'The job.';
comment on column jobrunner.seen_pages.entity is 'The kind of record.';
comment on column jobrunner.seen_pages.page_number is 'The page of the pass.';
comment on column jobrunner.seen_pages.keys is 'Hashes of the keys on the page; two keys of one hash only keep a row that could go.';

alter table jobrunner.jobs
  add column untriggered_due_at timestamptz;
comment on column jobrunner.jobs.untriggered_due_at is 'While a trigger''s debounce runs: the due_at that holds again if the trigger is called off.';

create table jobrunner.armed_triggers (
  user_id bigint not null,
  job_name text not null,
  event text not null,
  armed_at timestamptz not null default now(),
  primary key (user_id, job_name, event)
);
comment on table jobrunner.armed_triggers is 'Triggers whose opposite event came last: only from here does their event count, once (ST24).';
comment on column jobrunner.armed_triggers.user_id is 'Whose world.';
comment on column jobrunner.armed_triggers.job_name is 'The job that the event would make due.';
comment on column jobrunner.armed_triggers.event is 'The event that is waited for.';
comment on column jobrunner.armed_triggers.armed_at is 'When its opposite came.';

alter table jobrunner.users
  add column stands_for_tenant boolean not null default false,
  add constraint user_that_stands_for_its_tenant_has_the_key_star check (stands_for_tenant = (key = '*'));
comment on column jobrunner.users.stands_for_tenant is 'True: the tenant itself, key *; its jobs are those of scope tenant, its rows are shared by all users.';

alter table jobrunner.job_files
  add column scope text not null default 'user',
  add column notifies boolean not null default false,
  add column soft interval,
  add column hard interval,
  add column triggers jsonb not null default '[]',
  add constraint job_file_scope_is_user_or_tenant check (scope in ('user', 'tenant')),
  add constraint job_file_freshness_has_both_ages check ((soft is null) = (hard is null)),
  add constraint job_file_soft_age_is_the_smaller check (soft <= hard);
comment on column jobrunner.job_files.scope is 'user: a job for each user; tenant: one for the tenant.';
comment on column jobrunner.job_files.notifies is 'True: a run that changed something is told on channel jobrunner_changed.';
comment on column jobrunner.job_files.soft is 'Younger rows are fresh: nothing is asked of the source; null: no rule of freshness.';
comment on column jobrunner.job_files.triggers is 'Events that make its jobs due: [{event, debounce_ms, cancel_on}].';
comment on column jobrunner.job_files.hard is 'Rows as old as this are not to be used before they are read again.';

alter table jobrunner.synced_tables
  add column store text not null default 'synced',
  add column writable jsonb,
  add constraint synced_table_store_is_synced_or_disposable check (store in ('synced', 'disposable'));
comment on column jobrunner.synced_tables.store is 'synced: only ever added to; disposable: dropped, made and fetched again on a misfit.';
comment on column jobrunner.synced_tables.writable is 'What local edits and merges must know: {job, fields, key, stamps, record_name, change_tag, soft_field, push, sends_deletes, debounce_ms, hides, unique}; null: a list.';
