-- breaking: a worker of before would leave running jobs without next_due_at.
-- A claim changes no indexed column, so that it is a HOT update: it writes no index entry and leaves none dead.
-- A running job keeps the due_at it answers to, next_due_at holds the tick that follows; the run's end moves due_at on.

-- What every run changes stands together at the end of the row, so that the log of an update holds little else.

alter table jobrunner.jobs rename to jobs_before;
alter index jobrunner.jobs_pkey rename to jobs_before_pkey;
drop index jobrunner.jobs_due;
drop index jobrunner.jobs_quarantined;
drop index jobrunner.jobs_held;

create table jobrunner.jobs (
  user_id bigint not null,
  tenant_id bigint not null,
  name text not null,
  every interval not null,
  phase interval not null,
  deadline interval not null,
  priority smallint not null default 0,
  paused_at timestamptz,
  paused_with_user boolean not null default false,
  quarantined_at timestamptz,
  quarantine_reason text,
  reauth_needed_at timestamptz,
  deferred_until timestamptz,
  untriggered_due_at timestamptz,
  rerun_requested boolean not null default false,
  force_requested boolean not null default false,
  entity_requested text,
  cancel_requested_at timestamptz,
  consecutive_failures integer not null default 0,
  crashes integer not null default 0,
  stalled_runs integer not null default 0,
  last_error_kind text,
  last_error text,
  last_error_at timestamptz,
  last_outcome text,
  last_run_at timestamptz,
  last_success_at timestamptz,
  unchanged_at timestamptz,
  due_at timestamptz not null,
  state text not null generated always as (
    case
      when worker_id is not null then 'running'
      when paused_at is not null then 'paused'
      when quarantined_at is not null then 'quarantined'
      when reauth_needed_at is not null then 'needs_reauth'
      else 'waiting'
    end
  ) stored,
  fence bigint not null default 0,
  nonce uuid,
  worker_id bigint,
  started_at timestamptz,
  deadline_at timestamptz,
  next_due_at timestamptz,
  limited_tenant_id bigint,
  primary key (user_id, name),
  constraint running_job_has_fence_nonce_and_times check (
    (worker_id is null and started_at is null and deadline_at is null and next_due_at is null
      and limited_tenant_id is null)
    or (worker_id is not null and fence > 0 and nonce is not null and started_at is not null
      and deadline_at is not null and next_due_at is not null)
  ),
  constraint running_job_has_the_due_at_it_answers_to check (worker_id is null or due_at <= started_at),
  constraint limited_tenant_is_the_one_of_the_job check (limited_tenant_id = tenant_id),
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

insert into jobrunner.jobs (
  user_id, tenant_id, name, every, phase, deadline, priority, paused_at, paused_with_user, quarantined_at,
  quarantine_reason, reauth_needed_at, deferred_until, untriggered_due_at, rerun_requested, force_requested,
  entity_requested, cancel_requested_at, consecutive_failures, crashes, stalled_runs, last_error_kind,
  last_error, last_error_at, last_outcome, last_run_at, last_success_at, due_at, fence, nonce, worker_id,
  started_at, deadline_at, next_due_at
)
select
  j.user_id, j.tenant_id, j.name, j.every, j.phase, j.deadline, j.priority, j.paused_at, j.paused_with_user,
  j.quarantined_at, j.quarantine_reason, j.reauth_needed_at, j.deferred_until, j.untriggered_due_at,
  j.rerun_requested, j.force_requested, j.entity_requested, j.cancel_requested_at, j.consecutive_failures,
  j.crashes, j.stalled_runs, j.last_error_kind, j.last_error, j.last_error_at, j.last_outcome, j.last_run_at,
  j.last_success_at, coalesce(j.scheduled_at, j.due_at), j.fence, j.nonce, j.worker_id, j.started_at,
  j.deadline_at, case when j.worker_id is not null then j.due_at end
from jobrunner.jobs_before as j;
-- Functions and views that know its row are made again after the migrations.
drop table jobrunner.jobs_before cascade;

create index jobs_due on jobrunner.jobs (tenant_id, due_at);
create index jobs_asked on jobrunner.jobs (tenant_id, due_at) where priority = 1;
create index jobs_quarantined on jobrunner.jobs (due_at) where quarantined_at is not null;
create index jobs_limited on jobrunner.jobs (limited_tenant_id) where limited_tenant_id is not null;
create index jobs_stopping on jobrunner.jobs (cancel_requested_at) where cancel_requested_at is not null;
comment on index jobrunner.jobs_due is 'What a claim walks, from where the last one ended to now: the oldest due first within a tenant. What runs is in it too, at the due_at it answers to.';
comment on index jobrunner.jobs_asked is 'What people and applications asked for: looked at first within its tenant.';
comment on index jobrunner.jobs_quarantined is 'Finds those whose quarantine is over.';
comment on index jobrunner.jobs_limited is 'Counts the running jobs of a tenant with max_running.';
comment on index jobrunner.jobs_stopping is 'Runs that were asked to stop.';

comment on table jobrunner.jobs is 'One standing row per user and job file: it is its own schedule. Unique by key, so a job has at most one live run.';
comment on column jobrunner.jobs.user_id is 'Whose data is synced.';
comment on column jobrunner.jobs.tenant_id is 'The user''s tenant.';
comment on column jobrunner.jobs.name is 'The job file.';
comment on column jobrunner.jobs.every is 'The period.';
comment on column jobrunner.jobs.phase is 'This user''s fixed place within the period; ticks never drift from it.';
comment on column jobrunner.jobs.deadline is 'How long one run may take.';
comment on column jobrunner.jobs.priority is '1: a person or application asked for the run, looked at first within its tenant; 0: the clock did.';
comment on column jobrunner.jobs.paused_at is 'Since when the job is not claimed; null: not paused.';
comment on column jobrunner.jobs.paused_with_user is 'True: paused because its user is, and resumed with the user.';
comment on column jobrunner.jobs.quarantined_at is 'Since when the job is set aside because it kills its workers or makes no progress; until due_at.';
comment on column jobrunner.jobs.quarantine_reason is 'Why it was set aside.';
comment on column jobrunner.jobs.reauth_needed_at is 'Since when the source refuses the credential; a new secret ends it.';
comment on column jobrunner.jobs.deferred_until is 'The source asked for patience until then.';
comment on column jobrunner.jobs.untriggered_due_at is 'While a trigger''s debounce runs: the due_at that holds again if the trigger is called off.';
comment on column jobrunner.jobs.rerun_requested is 'While running: an enqueue came; one more run follows.';
comment on column jobrunner.jobs.force_requested is 'The next run ignores min_gap.';
comment on column jobrunner.jobs.entity_requested is 'The next run syncs this entity only.';
comment on column jobrunner.jobs.cancel_requested_at is 'While running: when someone asked it to stop.';
comment on column jobrunner.jobs.consecutive_failures is 'Failed runs in a row; a complete run clears it.';
comment on column jobrunner.jobs.crashes is 'Runs in a row that ended with their worker''s death and had committed no page.';
comment on column jobrunner.jobs.stalled_runs is 'Runs in a row that met their deadline before any page was committed.';
comment on column jobrunner.jobs.last_error_kind is 'Kind of the last error; cleared by the next complete run.';
comment on column jobrunner.jobs.last_error is 'Text of the last error, at most 1 KiB, without secrets; cleared by the next complete run.';
comment on column jobrunner.jobs.last_error_at is 'When the last error happened.';
comment on column jobrunner.jobs.last_outcome is 'How the last run ended.';
comment on column jobrunner.jobs.last_run_at is 'When the last run ended.';
comment on column jobrunner.jobs.last_success_at is 'When the last complete run ended.';
comment on column jobrunner.jobs.unchanged_at is 'When a run last read every entity to its end and found nothing that a checkpoint would have to note.';
comment on column jobrunner.jobs.due_at is 'The job is due when this has passed. A running job keeps the one it answers to; next_due_at takes its place when the run ends.';
comment on column jobrunner.jobs.state is 'For people: running, paused, quarantined, needs_reauth or waiting; follows from the other columns.';
comment on column jobrunner.jobs.fence is 'Number drawn at the last claim, also the number of that run; every write of the run proves it.';
comment on column jobrunner.jobs.nonce is 'Random half of the fence: tells a run of before a failover from one after it.';
comment on column jobrunner.jobs.worker_id is 'The worker that runs the job now; null: nobody.';
comment on column jobrunner.jobs.started_at is 'While running: when it was claimed.';
comment on column jobrunner.jobs.deadline_at is 'While running: when it must yield.';
comment on column jobrunner.jobs.next_due_at is 'While running: the tick after this one, set before the work starts, so that a crash can''t lose it (ST21).';
comment on column jobrunner.jobs.limited_tenant_id is 'While running: the tenant, if it has max_running; null for the others, so that only limited tenants'' claims write an index.';

-- A checkpoint is written with every page and an idle job's not at all; room on its page keeps the write out of the index.
alter table jobrunner.checkpoints set (fillfactor = 70);

alter table jobrunner.workers
  add column cleared_at timestamptz;
update jobrunner.workers as w set cleared_at = w.ended_at where w.ended_at is not null;
alter table jobrunner.workers
  add constraint only_an_ended_worker_is_cleared check (cleared_at is null or ended_at is not null);
create index workers_to_clear on jobrunner.workers (id) where ended_at is not null and cleared_at is null;
comment on column jobrunner.workers.cleared_at is 'When an ended worker was seen to hold no job any more; until then its jobs are looked for.';
comment on index jobrunner.workers_to_clear is 'Ended workers whose jobs may still have to be taken away.';

create type jobrunner.claimed_job as (
  user_id bigint,
  name text,
  tenant_id bigint,
  fence bigint,
  nonce uuid,
  scheduled_at timestamptz,
  claimed_at timestamptz,
  tick_at timestamptz,
  deadline_ms bigint,
  asked boolean,
  forced boolean,
  entity text,
  last_outcome text,
  last_success_at timestamptz,
  unchanged_at timestamptz,
  tenant_share integer,
  tenants_left bigint[]
);
comment on type jobrunner.claimed_job is 'What a claim says of a job: claim_jobs, and read_job for a dry run.';
comment on column jobrunner.claimed_job.user_id is 'Whose data is synced.';
comment on column jobrunner.claimed_job.name is 'The job file.';
comment on column jobrunner.claimed_job.tenant_id is 'The user''s tenant.';
comment on column jobrunner.claimed_job.fence is 'Number of the run.';
comment on column jobrunner.claimed_job.nonce is 'Random half of the fence, drawn once a claim.';
comment on column jobrunner.claimed_job.scheduled_at is 'The due_at the run answers to.';
comment on column jobrunner.claimed_job.claimed_at is 'The database''s time at the claim.';
comment on column jobrunner.claimed_job.tick_at is 'The tick the run belongs to: the last one on the grid before the claim.';
comment on column jobrunner.claimed_job.deadline_ms is 'How long the run may take.';
comment on column jobrunner.claimed_job.asked is 'A person or application asked for the run.';
comment on column jobrunner.claimed_job.forced is 'The run ignores min_gap.';
comment on column jobrunner.claimed_job.entity is 'The run syncs this entity only.';
comment on column jobrunner.claimed_job.last_outcome is 'How the last run ended.';
comment on column jobrunner.claimed_job.last_success_at is 'When the last complete run ended.';
comment on column jobrunner.claimed_job.unchanged_at is 'When a run last read every entity to its end and found nothing to note.';
comment on column jobrunner.claimed_job.tenant_share is 'Most jobs that its tenant could get in this claim: with as many, more may be due.';
comment on column jobrunner.claimed_job.tenants_left is 'On one row: the tenants with something due that got none of the slots.';
