-- breaking: a worker of before reads another column of claim_jobs.
-- Schedules that follow people: a period of a tenant's or a user's own, a slower one for whom nobody asks, a lane for who is new.

create table jobrunner.periods (
  user_id bigint not null default 0,
  tenant_id bigint not null references jobrunner.tenants (id) on delete cascade,
  job_name text not null references jobrunner.job_files (name),
  every interval not null,
  set_at timestamptz not null default now(),
  primary key (user_id, tenant_id, job_name),
  constraint period_is_a_second_to_a_year check (every between '1 second' and '366 days')
);
comment on table jobrunner.periods is 'Periods that differ from their job file''s: of a tenant, and of a user, which comes before it.';
comment on column jobrunner.periods.user_id is 'The user, 0 for all of the tenant''s.';
comment on column jobrunner.periods.tenant_id is 'The tenant.';
comment on column jobrunner.periods.job_name is 'The job.';
comment on column jobrunner.periods.every is 'The period.';
comment on column jobrunner.periods.set_at is 'When it was set.';

alter table jobrunner.job_files
  add column slow_after interval,
  add column slow_every interval,
  add column unscheduled_after_user_id bigint,
  add constraint slowing_has_a_time_and_a_longer_period check (
    (slow_after is null) = (slow_every is null) and slow_after > interval '0' and slow_every > every
  );
comment on column jobrunner.job_files.slow_after is 'A job for which nobody has asked for so long slows down; null: none does.';
comment on column jobrunner.job_files.slow_every is 'The period of a job that has slowed down.';
comment on column jobrunner.job_files.unscheduled_after_user_id is 'Standing jobs of the users after this one do not go by the file''s schedule yet; null: all do.';

alter table jobrunner.jobs
  add column slows_at timestamptz,
  add column slowed_at timestamptz,
  drop constraint job_priority_is_0_or_1,
  add constraint job_priority_is_a_lane check (priority in (-1, 0, 1)) not valid,
  add constraint job_that_is_to_slow_down_has_not_yet check (slows_at is null or slowed_at is null) not valid;
comment on column jobrunner.jobs.slows_at is 'When the job slows down unless somebody asks for it before; null: it does not, or has.';
comment on column jobrunner.jobs.slowed_at is 'Since when it has the slower period of its file; null: it has its own.';
comment on column jobrunner.jobs.priority is '1: a person or application asked for the run, first within its tenant; 0: the clock did; -1: the first run of a user who was added with many, last within its tenant.';
comment on column jobrunner.jobs.every is 'The period: the user''s, the tenant''s or the job file''s, or the slower one of the file.';

alter type jobrunner.claimed_job rename attribute asked to lane;
alter type jobrunner.claimed_job alter attribute lane type smallint;
comment on column jobrunner.claimed_job.lane is '1: a person or application asked for the run; 0: the clock did; -1: a first run of a user who was added with many.';
