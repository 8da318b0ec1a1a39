-- breaking: a worker of before passes other arguments to claim_jobs.
-- Who has something due is found by walking what is due: an index over all tenants, without what is parked.

alter table jobrunner.jobs
  add column claimable_at timestamptz not null generated always as (
    case
      when worker_id is null and (paused_at is not null or quarantined_at is not null or reauth_needed_at is not null)
        then 'infinity'
      else due_at
    end
  ) stored;
comment on column jobrunner.jobs.claimable_at is 'When the job may be claimed: due_at, or infinity while it is parked and does not run. A claim does not change it.';

drop index jobrunner.jobs_due, jobrunner.jobs_asked, jobrunner.jobs_suspect;
create index jobs_due on jobrunner.jobs (claimable_at, user_id);
create index jobs_suspect on jobrunner.jobs (claimable_at) where crashes >= 2;
comment on index jobrunner.jobs_due is 'What a worker walks, from where its last claim ended to now. What runs is in it too, at the due_at it answers to; what is parked is at its end.';
comment on index jobrunner.jobs_suspect is 'Jobs that may have killed two workers: claimed one at a time, so that the third death has one culprit.';

-- A claim draws one number for all its jobs, which are numbered from there on.
alter sequence jobrunner.fences increment by 1000;
comment on sequence jobrunner.fences is 'Fences of a claim: each of its jobs gets one of the thousand from this number on, which is also its run''s number. They rise over all jobs.';

create table jobrunner.limited_tenants (
  tenant_id bigint primary key references jobrunner.tenants (id) on delete cascade,
  since timestamptz not null default now()
);
comment on table jobrunner.limited_tenants is 'Tenants with max_running. A row''s lock is the turn to claim from the tenant.';
comment on column jobrunner.limited_tenants.tenant_id is 'The tenant.';
comment on column jobrunner.limited_tenants.since is 'When its limit was last set: runs of claims that were under way then are not marked as counted yet.';
insert into jobrunner.limited_tenants (tenant_id) select t.id from jobrunner.tenants as t where t.max_running is not null;

create index tenants_apart on jobrunner.tenants (id) where paused_at is not null or max_running is not null or weight <> 1;
comment on index jobrunner.tenants_apart is 'Tenants that a claim must treat apart from the others.';

alter type jobrunner.claimed_job drop attribute tenant_share, drop attribute tenants_left;
comment on type jobrunner.claimed_job is 'What a worker knows of a job that it has claimed.';

create type jobrunner.claim_look as (
  picked tid[],
  looked_at timestamptz,
  looked_user_id bigint,
  looked_count integer,
  tenant_ids bigint[],
  times timestamptz[],
  user_ids bigint[],
  priorities smallint[],
  places tid[],
  apart_ids bigint[],
  apart_weights integer[]
);
comment on type jobrunner.claim_look is 'What a claim found by walking what is due.';
comment on column jobrunner.claim_look.picked is 'Jobs of those that it is to take, by where their rows stand.';
comment on column jobrunner.claim_look.looked_at is 'How far it has walked, with looked_user_id; now, when it came to the end.';
comment on column jobrunner.claim_look.looked_user_id is 'The user of the last place it came to.';
comment on column jobrunner.claim_look.looked_count is 'How many places it came to.';
comment on column jobrunner.claim_look.tenant_ids is 'Of each job that it found: its tenant.';
comment on column jobrunner.claim_look.times is 'Of each: its claimable_at.';
comment on column jobrunner.claim_look.user_ids is 'Of each: its user.';
comment on column jobrunner.claim_look.priorities is 'Of each: its priority.';
comment on column jobrunner.claim_look.places is 'Of each: where its row stands, as long as nobody changes it.';
comment on column jobrunner.claim_look.apart_ids is 'Tenants of those whose weight is not 1.';
comment on column jobrunner.claim_look.apart_weights is 'Their weights.';
