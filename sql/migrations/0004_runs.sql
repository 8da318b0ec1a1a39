-- The past: one row per ended run that changed something, was asked for or did not complete.

create table jobrunner.runs (
  user_id bigint not null,
  id bigint not null,
  outcome text not null,
  tenant_id bigint not null,
  job_name text not null,
  worker_id integer,
  scheduled_at timestamptz not null,
  started_at timestamptz not null,
  ended_at timestamptz not null default now(),
  error_kind text,
  error text,
  request_count integer not null default 0,
  page_count integer not null default 0,
  fetched_count bigint not null default 0,
  inserted_count bigint not null default 0,
  updated_count bigint not null default 0,
  unchanged_count bigint not null default 0,
  skipped_older_count bigint not null default 0,
  skipped_incompatible_count bigint not null default 0,
  filtered_count bigint not null default 0,
  duplicate_count bigint not null default 0,
  deleted_count bigint not null default 0,
  entities jsonb not null default '{}',
  primary key (user_id, id, ended_at),
  constraint run_outcome_is_known check (
    outcome in ('complete', 'partial', 'deferred', 'skipped', 'needs_reauth', 'failed')
  ),
  constraint failed_run_has_an_error check (outcome <> 'failed' or error_kind is not null),
  constraint run_error_is_at_most_1_kib check (octet_length(error) <= 1024),
  constraint counters_add_up check (
    fetched_count = inserted_count + updated_count + unchanged_count + skipped_older_count
      + skipped_incompatible_count + filtered_count + duplicate_count + deleted_count
  )
) partition by range (ended_at);
create index runs_of_a_job on jobrunner.runs (user_id, job_name, ended_at);
create index runs_of_a_tenant on jobrunner.runs (tenant_id, ended_at);
create table jobrunner.runs_other partition of jobrunner.runs default;
comment on table jobrunner.runs is 'History, appended once when a run ends, one partition a day, dropped by retention. A complete run that found nothing new leaves no row.';
comment on table jobrunner.runs_other is 'Catches runs for whose day no partition exists.';
comment on index jobrunner.runs_of_a_job is 'One user''s whole story.';
comment on index jobrunner.runs_of_a_tenant is 'A tenant''s recent runs.';
comment on column jobrunner.runs.user_id is 'Whose run.';
comment on column jobrunner.runs.id is 'Number of the run: the fence of its claim.';
comment on column jobrunner.runs.outcome is 'complete, partial, deferred, skipped, needs_reauth or failed (AL6).';
comment on column jobrunner.runs.tenant_id is 'The user''s tenant.';
comment on column jobrunner.runs.job_name is 'The job.';
comment on column jobrunner.runs.worker_id is 'The worker that ran it.';
comment on column jobrunner.runs.scheduled_at is 'When it was due.';
comment on column jobrunner.runs.started_at is 'When it was claimed.';
comment on column jobrunner.runs.ended_at is 'When its outcome was written.';
comment on column jobrunner.runs.error_kind is 'Kind of failure or interruption.';
comment on column jobrunner.runs.error is 'What happened, at most 1 KiB, without secrets.';
comment on column jobrunner.runs.request_count is 'Requests it sent; a crashed run''s are not known.';
comment on column jobrunner.runs.page_count is 'Pages it committed.';
comment on column jobrunner.runs.fetched_count is 'Records in those pages; the other counters add up to it (AL1).';
comment on column jobrunner.runs.inserted_count is 'Records that are new here (MH23).';
comment on column jobrunner.runs.updated_count is 'Records that changed a row.';
comment on column jobrunner.runs.unchanged_count is 'Records that were here already.';
comment on column jobrunner.runs.skipped_older_count is 'Records older than their row.';
comment on column jobrunner.runs.skipped_incompatible_count is 'Records without a required field, or with one of a wrong type.';
comment on column jobrunner.runs.filtered_count is 'Records that keep_if turned away.';
comment on column jobrunner.runs.duplicate_count is 'Records whose key came before in the same page.';
comment on column jobrunner.runs.deleted_count is 'Tombstones that removed a row.';
comment on column jobrunner.runs.entities is 'The same counters per entity.';
