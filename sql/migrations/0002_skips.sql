-- An entity of which a run found nothing to read, by a rule of `errors` in the job file.
alter type jobrunner.counter_values add attribute skipped bigint;
comment on column jobrunner.counter_values.skipped is 'Entities that began to be skipped: the source has nothing to read there for this user.';

alter table jobrunner.checkpoints
  add column skipped_since timestamptz,
  add column skip_reason text,
  add constraint skipped_entity_says_why check ((skipped_since is null) = (skip_reason is null));
comment on column jobrunner.checkpoints.skipped_since is 'Since when its passes are skipped, by a rule of errors in the job file; null: it is read.';
comment on column jobrunner.checkpoints.skip_reason is 'What the source answered when that began.';
create index skipped_checkpoints on jobrunner.checkpoints (job_name, user_id) where skipped_since is not null;
comment on index jobrunner.skipped_checkpoints is 'Entities that are skipped.';
