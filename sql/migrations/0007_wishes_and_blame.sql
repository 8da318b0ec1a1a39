-- breaking: a worker of before passes other arguments to finish_runs.
-- What is asked of a job while it runs stands apart from what the run itself was asked, so that neither is lost.

alter table jobrunner.jobs
  add column rerun_forced boolean not null default false,
  add column rerun_entity text,
  add column deferrals integer not null default 0,
  add constraint rerun_wish_belongs_to_a_rerun
    check (rerun_requested or (not rerun_forced and rerun_entity is null)),
  add constraint job_deferrals_are_not_negative check (deferrals >= 0);
update jobrunner.jobs as j
set rerun_forced = j.force_requested, rerun_entity = j.entity_requested
where j.rerun_requested;
comment on column jobrunner.jobs.force_requested is 'The run in progress, else the next one, ignores min_gap.';
comment on column jobrunner.jobs.entity_requested is 'The run in progress, else the next one, syncs this entity only.';
comment on column jobrunner.jobs.rerun_forced is 'While running: the run that follows ignores min_gap and a deferral.';
comment on column jobrunner.jobs.rerun_entity is 'While running: the run that follows syncs this entity only.';
comment on column jobrunner.jobs.deferrals is 'Runs in a row that were deferred before they committed anything; each waits longer at least.';

-- A job without its user would be claimed for ever: nothing would remove it.
delete from jobrunner.jobs as j where not exists (select from jobrunner.users as u where u.id = j.user_id);

create index jobs_suspect on jobrunner.jobs (due_at) where crashes >= 2;
comment on index jobrunner.jobs_suspect is 'Jobs that may have killed two workers: claimed one at a time, so that the third death has one culprit.';

create sequence jobrunner.secret_versions;
comment on sequence jobrunner.secret_versions is 'Drawn by each set_secret; tells a run whether the secret it read is still the one.';
alter table jobrunner.secrets
  add column version bigint not null default nextval('jobrunner.secret_versions');
comment on column jobrunner.secrets.version is 'Changes with each set_secret and not when a source replaces its credential.';

create table jobrunner.chores (
  name text primary key,
  done_at timestamptz,
  latest_at timestamptz
);
comment on table jobrunner.chores is 'Work that one worker at a time does now and then, and when it was last done. A row''s lock is the turn.';
comment on column jobrunner.chores.name is 'What is done.';
comment on column jobrunner.chores.done_at is 'When somebody last began it; null: never.';
comment on column jobrunner.chores.latest_at is 'The latest time at which it was ever done: after now() when the server''s clock was set back.';
insert into jobrunner.chores (name) values ('reconcile');
