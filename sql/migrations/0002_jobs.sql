-- The present: standing jobs, what they remember, and who runs them.

create sequence jobrunner.fences;
comment on sequence jobrunner.fences is 'Fence of each claim, and the number of its run; it rises over all jobs.';

create table jobrunner.jobs (
  user_id bigint not null,
  name text not null,
  state text not null generated always as (
    case
      when worker_id is not null then 'running'
      when paused_at is not null then 'paused'
      when quarantined_at is not null then 'quarantined'
      when reauth_needed_at is not null then 'needs_reauth'
      else 'waiting'
    end
  ) stored,
  tenant_id bigint not null,
  every interval not null,
  phase interval not null,
  deadline interval not null,
  due_at timestamptz not null,
  priority smallint not null default 0,
  worker_id bigint,
  fence bigint not null default 0,
  nonce uuid,
  scheduled_at timestamptz,
  started_at timestamptz,
  deadline_at timestamptz,
  cancel_requested_at timestamptz,
  rerun_requested boolean not null default false,
  force_requested boolean not null default false,
  entity_requested text,
  paused_at timestamptz,
  paused_with_user boolean not null default false,
  quarantined_at timestamptz,
  quarantine_reason text,
  reauth_needed_at timestamptz,
  deferred_until timestamptz,
  consecutive_failures integer not null default 0,
  crashes integer not null default 0,
  stalled_runs integer not null default 0,
  last_outcome text,
  last_error_kind text,
  last_error text,
  last_error_at timestamptz,
  last_run_at timestamptz,
  last_success_at timestamptz,
  primary key (user_id, name),
  constraint running_job_has_fence_nonce_and_times check (
    (worker_id is null and started_at is null and deadline_at is null and scheduled_at is null)
    or (worker_id is not null and fence > 0 and nonce is not null and started_at is not null
      and deadline_at is not null and scheduled_at is not null)
  ),
  constraint rerun_is_requested_only_of_a_running_job check (not rerun_requested or worker_id is not null),
  constraint cancel_is_requested_only_of_a_running_job check (cancel_requested_at is null or worker_id is not null),
  constraint quarantined_job_has_a_reason check ((quarantined_at is null) = (quarantine_reason is null)),
  constraint job_counts_are_not_negative check (consecutive_failures >= 0 and crashes >= 0 and stalled_runs >= 0),
  constraint job_priority_is_0_or_1 check (priority in (0, 1)),
  constraint job_phase_lies_within_its_period check (phase >= interval '0' and phase < every),
  constraint job_outcome_is_known check (
    last_outcome in ('complete', 'partial', 'deferred', 'skipped', 'needs_reauth', 'failed')
  ),
  constraint job_error_is_at_most_1_kib check (octet_length(last_error) <= 1024)
) with (fillfactor = 70);
create index jobs_due on jobrunner.jobs (tenant_id, priority, due_at) where state = 'waiting';
create index jobs_quarantined on jobrunner.jobs (due_at) where quarantined_at is not null;
create index jobs_held on jobrunner.jobs (worker_id, tenant_id) where worker_id is not null;
comment on index jobrunner.jobs_due is 'What a claim walks: the oldest due first within tenant and priority.';
comment on index jobrunner.jobs_quarantined is 'Finds those whose quarantine is over.';
comment on index jobrunner.jobs_held is 'What runs where; counts a tenant''s running jobs.';

comment on table jobrunner.jobs is 'One standing row per user and job file: it is its own schedule. Unique by key, so a job has at most one live run.';
comment on column jobrunner.jobs.user_id is 'Whose data is synced.';
comment on column jobrunner.jobs.name is 'The job file.';
comment on column jobrunner.jobs.state is 'For people: running, paused, quarantined, needs_reauth or waiting; follows from the other columns.';
comment on column jobrunner.jobs.tenant_id is 'The user''s tenant.';
comment on column jobrunner.jobs.every is 'The period.';
comment on column jobrunner.jobs.phase is 'This user''s fixed place within the period; ticks never drift from it.';
comment on column jobrunner.jobs.deadline is 'How long one run may take.';
comment on column jobrunner.jobs.due_at is 'The job is due when this has passed. A claim moves it to the next tick before the work starts (ST21).';
comment on column jobrunner.jobs.priority is '1: a person or application asked for the run, looked at first within its tenant; 0: the clock did.';
comment on column jobrunner.jobs.worker_id is 'The worker that runs the job now; null: nobody.';
comment on column jobrunner.jobs.fence is 'Number drawn at the last claim, also the number of that run; every write of the run proves it.';
comment on column jobrunner.jobs.nonce is 'Random half of the fence: tells a run of before a failover from one after it.';
comment on column jobrunner.jobs.scheduled_at is 'While running: the due_at this run answers to.';
comment on column jobrunner.jobs.started_at is 'While running: when it was claimed.';
comment on column jobrunner.jobs.deadline_at is 'While running: when it must yield.';
comment on column jobrunner.jobs.cancel_requested_at is 'While running: when someone asked it to stop.';
comment on column jobrunner.jobs.rerun_requested is 'While running: an enqueue came; one more run follows.';
comment on column jobrunner.jobs.force_requested is 'The next run ignores min_gap.';
comment on column jobrunner.jobs.entity_requested is 'The next run syncs this entity only.';
comment on column jobrunner.jobs.paused_at is 'Since when the job is not claimed; null: not paused.';
comment on column jobrunner.jobs.paused_with_user is 'True: paused because its user is, and resumed with the user.';
comment on column jobrunner.jobs.quarantined_at is 'Since when the job is set aside because it kills its workers or makes no progress; until due_at.';
comment on column jobrunner.jobs.quarantine_reason is 'Why it was set aside.';
comment on column jobrunner.jobs.reauth_needed_at is 'Since when the source refuses the credential; a new secret ends it.';
comment on column jobrunner.jobs.deferred_until is 'The source asked for patience until then.';
comment on column jobrunner.jobs.consecutive_failures is 'Failed runs in a row; a complete run clears it.';
comment on column jobrunner.jobs.crashes is 'Runs in a row that ended with their worker''s death and had committed no page.';
comment on column jobrunner.jobs.stalled_runs is 'Runs in a row that met their deadline before any page was committed.';
comment on column jobrunner.jobs.last_outcome is 'How the last run ended.';
comment on column jobrunner.jobs.last_error_kind is 'Kind of the last error; cleared by the next complete run.';
comment on column jobrunner.jobs.last_error is 'Text of the last error, at most 1 KiB, without secrets; cleared by the next complete run.';
comment on column jobrunner.jobs.last_error_at is 'When the last error happened.';
comment on column jobrunner.jobs.last_run_at is 'When the last run ended.';
comment on column jobrunner.jobs.last_success_at is 'When the last complete run ended.';

create table jobrunner.checkpoints (
  user_id bigint not null,
  job_name text not null,
  entity text not null,
  tenant_id bigint not null,
  generation bigint not null default 0,
  full_requested boolean not null default false,
  pass_kind text,
  pass_started_at timestamptz,
  pass_since text,
  page_number integer not null default 0,
  cursor text,
  sync_token text,
  partial_watermark text,
  watermark text,
  last_synced_at timestamptz,
  consecutive_failures integer not null default 0,
  last_error_kind text,
  last_error text,
  last_error_at timestamptz,
  run_fence bigint not null default 0,
  run_page_count integer not null default 0,
  run_fetched_count bigint not null default 0,
  run_inserted_count bigint not null default 0,
  run_updated_count bigint not null default 0,
  run_unchanged_count bigint not null default 0,
  run_skipped_older_count bigint not null default 0,
  run_skipped_incompatible_count bigint not null default 0,
  run_filtered_count bigint not null default 0,
  run_duplicate_count bigint not null default 0,
  run_deleted_count bigint not null default 0,
  primary key (user_id, job_name, entity),
  constraint pass_is_full_or_incremental check (pass_kind in ('full', 'incremental')),
  constraint pass_in_progress_has_a_start check ((pass_kind is null) = (pass_started_at is null)),
  constraint cursor_belongs_to_a_pass check (cursor is null or pass_kind is not null),
  constraint checkpoint_error_is_at_most_1_kib check (octet_length(last_error) <= 1024),
  constraint counters_of_a_run_add_up check (
    run_fetched_count = run_inserted_count + run_updated_count + run_unchanged_count
      + run_skipped_older_count + run_skipped_incompatible_count + run_filtered_count
      + run_duplicate_count + run_deleted_count
  )
) with (fillfactor = 70);
comment on table jobrunner.checkpoints is 'How far each entity of a job has come; moved only in the transaction that writes the page it covers.';
comment on column jobrunner.checkpoints.user_id is 'Whose data.';
comment on column jobrunner.checkpoints.job_name is 'The job.';
comment on column jobrunner.checkpoints.entity is 'The kind of record.';
comment on column jobrunner.checkpoints.tenant_id is 'The user''s tenant.';
comment on column jobrunner.checkpoints.generation is 'Raised by a reset; a page read under an older one is not written.';
comment on column jobrunner.checkpoints.full_requested is 'The next run starts this entity over with a full pass.';
comment on column jobrunner.checkpoints.pass_kind is 'The pass in progress: full or incremental; null: none.';
comment on column jobrunner.checkpoints.pass_started_at is 'When the pass in progress began, by the source''s clock where it tells it.';
comment on column jobrunner.checkpoints.pass_since is 'The {since} that the pass in progress was begun with and keeps to its end.';
comment on column jobrunner.checkpoints.page_number is 'Pages of the pass in progress that are committed.';
comment on column jobrunner.checkpoints.cursor is 'Where the pass in progress goes on; opaque.';
comment on column jobrunner.checkpoints.sync_token is 'Position that outlives the pass.';
comment on column jobrunner.checkpoints.partial_watermark is 'Greatest server time seen by the pass in progress.';
comment on column jobrunner.checkpoints.watermark is 'Greatest server time wholly seen; moved only at the end of a complete pass.';
comment on column jobrunner.checkpoints.last_synced_at is 'When a pass was last completed.';
comment on column jobrunner.checkpoints.consecutive_failures is 'Failed runs in a row that failed in this entity.';
comment on column jobrunner.checkpoints.last_error_kind is 'Kind of the last error in this entity; cleared by the next completed pass.';
comment on column jobrunner.checkpoints.last_error is 'Text of the last error in this entity; cleared by the next completed pass.';
comment on column jobrunner.checkpoints.last_error_at is 'When that error happened.';
comment on column jobrunner.checkpoints.run_fence is 'The run the run_ counters belong to.';
comment on column jobrunner.checkpoints.run_page_count is 'Pages that run committed for this entity.';
comment on column jobrunner.checkpoints.run_fetched_count is 'Records in those pages; the other counters add up to it.';
comment on column jobrunner.checkpoints.run_inserted_count is 'Records that are new here.';
comment on column jobrunner.checkpoints.run_updated_count is 'Records that changed a row.';
comment on column jobrunner.checkpoints.run_unchanged_count is 'Records that were here already.';
comment on column jobrunner.checkpoints.run_skipped_older_count is 'Records older than their row.';
comment on column jobrunner.checkpoints.run_skipped_incompatible_count is 'Records without a required field, or with one of a wrong type.';
comment on column jobrunner.checkpoints.run_filtered_count is 'Records that keep_if turned away.';
comment on column jobrunner.checkpoints.run_duplicate_count is 'Records whose key came before in the same page.';
comment on column jobrunner.checkpoints.run_deleted_count is 'Tombstones that removed a row.';

create table jobrunner.call_memory (
  user_id bigint not null,
  job_name text not null,
  call text not null,
  last_succeeded_at timestamptz not null,
  list_hash text,
  primary key (user_id, job_name, call)
);
comment on table jobrunner.call_memory is 'What a job remembers of its named calls.';
comment on column jobrunner.call_memory.user_id is 'For whom the call was made.';
comment on column jobrunner.call_memory.job_name is 'The job.';
comment on column jobrunner.call_memory.call is 'Name of the call in the job file.';
comment on column jobrunner.call_memory.last_succeeded_at is 'Its last success: never_succeeded and min_gap ask for it.';
comment on column jobrunner.call_memory.list_hash is 'Hash of the list that was sent: list_changed asks for it.';
