-- The two schemas, and what `jobrunner migrate` remembers of itself.

create schema if not exists jobrunner;
create schema if not exists synced;
comment on schema jobrunner is 'The machine: tenants, users, jobs, checkpoints, runs. Operators call its functions and read its views.';
comment on schema synced is 'The data: one typed table per entity, one per local list, made and extended from the job files.';

create table jobrunner.migrations (
  number integer primary key,
  name text not null,
  checksum text not null,
  breaking boolean not null,
  applied_at timestamptz not null default now(),
  constraint migration_name_is_unique unique (name),
  constraint migration_number_is_not_negative check (number >= 0),
  constraint migration_checksum_is_a_sha256 check (checksum ~ '^[0-9a-f]{64}$')
);
comment on table jobrunner.migrations is 'The numbered files that were applied, once each; an edited one is refused.';
comment on column jobrunner.migrations.number is 'The NNNN of NNNN_noun.sql.';
comment on column jobrunner.migrations.name is 'The file.';
comment on column jobrunner.migrations.checksum is 'SHA-256 of the file''s text as it was applied.';
comment on column jobrunner.migrations.breaking is 'True: a program that does not know this migration must not work here.';
comment on column jobrunner.migrations.applied_at is 'When it was applied.';

create table jobrunner.applied_code (
  checksum text primary key,
  applied_at timestamptz not null default now(),
  constraint applied_code_checksum_is_a_sha256 check (checksum ~ '^[0-9a-f]{64}$')
);
comment on table jobrunner.applied_code is 'Every version of the functions and views that was in force here; the newest row is.';
comment on column jobrunner.applied_code.checksum is 'SHA-256 over all files of the version.';
comment on column jobrunner.applied_code.applied_at is 'When the version was last put in force.';
