-- breaking: a worker of before would leave running jobs without next_due_at.
-- A claim changes no indexed column, so that it is a HOT update: it writes no index entry and leaves none dead.
-- A running job keeps the due_at it answers to, next_due_at holds the tick that follows; the run's end moves due_at on.

alter table jobrunner.jobs
  drop constraint running_job_has_fence_nonce_and_times,
  add column next_due_at timestamptz,
  add column limited_tenant_id bigint,
  add column unchanged_at timestamptz;

-- Runs of before: the tick after theirs stands in due_at already.
update jobrunner.jobs as j
set next_due_at = j.due_at, due_at = j.scheduled_at
where j.worker_id is not null;

alter table jobrunner.jobs
  drop column scheduled_at,
  add constraint running_job_has_fence_nonce_and_times check (
    (worker_id is null and started_at is null and deadline_at is null and next_due_at is null
      and limited_tenant_id is null)
    or (worker_id is not null and fence > 0 and nonce is not null and started_at is not null
      and deadline_at is not null and next_due_at is not null)
  ),
  add constraint running_job_has_the_due_at_it_answers_to check (worker_id is null or due_at <= started_at),
  add constraint limited_tenant_is_the_one_of_the_job check (limited_tenant_id = tenant_id);
comment on column jobrunner.jobs.due_at is 'The job is due when this has passed. A running job keeps the one it answers to; next_due_at takes its place when the run ends.';
comment on column jobrunner.jobs.next_due_at is 'While running: the tick after this one, set before the work starts, so that a crash can''t lose it (ST21).';
comment on column jobrunner.jobs.limited_tenant_id is 'While running: the tenant, if it has max_running; null for the others, so that only limited tenants'' claims write an index.';
comment on column jobrunner.jobs.unchanged_at is 'When a run last read every entity to its end and found nothing that a checkpoint would have to note.';

drop index jobrunner.jobs_due;
drop index jobrunner.jobs_held;
create index jobs_due on jobrunner.jobs (tenant_id, due_at);
create index jobs_asked on jobrunner.jobs (tenant_id, due_at) where priority = 1;
create index jobs_limited on jobrunner.jobs (limited_tenant_id) where limited_tenant_id is not null;
create index jobs_stopping on jobrunner.jobs (cancel_requested_at) where cancel_requested_at is not null;
comment on index jobrunner.jobs_due is 'What a claim walks, from where the last one ended to now: the oldest due first within a tenant. What runs is in it too, at the due_at it answers to.';
comment on index jobrunner.jobs_asked is 'What people and applications asked for: looked at first within its tenant.';
comment on index jobrunner.jobs_limited is 'Counts the running jobs of a tenant with max_running.';
comment on index jobrunner.jobs_stopping is 'Runs that were asked to stop.';

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
  tenants_left boolean
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
comment on column jobrunner.claimed_job.tenants_left is 'The slots did not last for every tenant that has something due.';
