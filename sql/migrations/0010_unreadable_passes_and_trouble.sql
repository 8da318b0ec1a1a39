-- What nobody may overlook: passes of which nothing could be read, and the jobs that need a person.

alter table jobrunner.checkpoints
  add column pass_unreadable boolean not null default false;
comment on column jobrunner.checkpoints.pass_unreadable is 'True: not one record of the pass in progress could be read so far. A pass that ends so is given up.';

create index jobs_troubled on jobrunner.jobs (user_id, name)
  where consecutive_failures > 0 or quarantined_at is not null or reauth_needed_at is not null or stalled_runs > 1
    or deferrals > 4;
comment on index jobrunner.jobs_troubled is 'Jobs that do not get on; a healthy one is not in it, so that its runs do not write it.';
create index checkpoints_with_errors on jobrunner.checkpoints (user_id, job_name) where last_error_kind is not null;
comment on index jobrunner.checkpoints_with_errors is 'Entities whose last pass left an error.';
