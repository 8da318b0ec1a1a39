-- Who is kept apart: tenants, their users, their sealed secrets.

create table jobrunner.tenants (
  id bigint generated always as identity primary key,
  name text not null,
  weight integer not null default 1,
  max_running integer,
  paused_at timestamptz,
  created_at timestamptz not null default now(),
  constraint tenant_name_is_unique unique (name),
  constraint tenant_name_is_a_word check (name ~ '^[a-z0-9][a-z0-9_.-]{0,62}$'),
  constraint tenant_weight_is_from_1_to_1000 check (weight between 1 and 1000),
  constraint tenant_max_running_is_positive check (max_running > 0)
);
comment on table jobrunner.tenants is 'A customer or app whose users, budgets and data are kept apart.';
comment on column jobrunner.tenants.id is 'Number of the tenant; stands in every row that is its own.';
comment on column jobrunner.tenants.name is 'The word people and the command line use.';
comment on column jobrunner.tenants.weight is 'Share of the running slots against other tenants with due jobs.';
comment on column jobrunner.tenants.max_running is 'Most jobs of this tenant that run at once, over all workers; null: no limit.';
comment on column jobrunner.tenants.paused_at is 'Since when no job of this tenant is claimed; null: not paused.';
comment on column jobrunner.tenants.created_at is 'When the tenant was added.';

create table jobrunner.users (
  id bigint generated always as identity primary key,
  tenant_id bigint not null references jobrunner.tenants (id),
  key text not null,
  attributes jsonb not null default '{}',
  paused_at timestamptz,
  created_at timestamptz not null default now(),
  constraint user_key_is_unique_in_its_tenant unique (tenant_id, key),
  constraint user_key_is_1_to_255_printable_characters check (key ~ '^[^[:cntrl:]]{1,255}$'),
  constraint user_attributes_are_an_object check (jsonb_typeof(attributes) = 'object')
);
comment on table jobrunner.users is 'One person''s account within a tenant, whose data is synced.';
comment on column jobrunner.users.id is 'Number of the user; part of every primary key below, so that rows can be distributed by user.';
comment on column jobrunner.users.tenant_id is 'The tenant the user belongs to.';
comment on column jobrunner.users.key is 'The tenant''s own name for the user.';
comment on column jobrunner.users.attributes is 'Values for {user.x} in job files, such as hub_user_id (MH29).';
comment on column jobrunner.users.paused_at is 'Since when no job of this user is claimed; null: not paused.';
comment on column jobrunner.users.created_at is 'When the user was added.';

create table jobrunner.secrets (
  tenant_id bigint not null references jobrunner.tenants (id),
  user_id bigint not null default 0,
  name text not null,
  sealed bytea not null,
  updated_at timestamptz not null default now(),
  primary key (user_id, tenant_id, name),
  constraint secret_name_is_a_word check (name ~ '^[a-z_][a-z0-9_]{0,62}$')
);
comment on table jobrunner.secrets is 'Sealed credentials of a user, or of a tenant (user_id 0); plain text exists only in workers.';
comment on column jobrunner.secrets.tenant_id is 'The tenant the secret belongs to; bound into the seal.';
comment on column jobrunner.secrets.user_id is 'The user the secret belongs to, 0 for the tenant''s own; bound into the seal.';
comment on column jobrunner.secrets.name is 'The x of {secret.x}; bound into the seal.';
comment on column jobrunner.secrets.sealed is 'XChaCha20-Poly1305 box made by the command line; the server never sees what is in it.';
comment on column jobrunner.secrets.updated_at is 'When this value was stored.';

create table jobrunner.job_files (
  name text primary key,
  kind text not null,
  source text not null,
  every interval not null,
  spread boolean not null,
  deadline interval not null,
  per_second double precision,
  expanded jsonb not null,
  loaded_at timestamptz not null default now(),
  constraint job_file_period_is_positive check (every > interval '0'),
  constraint job_file_deadline_is_positive check (deadline > interval '0')
);
comment on table jobrunner.job_files is 'The job files as `jobrunner migrate` last saw them.';
comment on column jobrunner.job_files.name is 'Unique name of the job, such as metube.refresh.';
comment on column jobrunner.job_files.kind is 'What people call this sort of job.';
comment on column jobrunner.job_files.source is 'Id of the source, whose budget and breaker its jobs share within a tenant.';
comment on column jobrunner.job_files.every is 'The period.';
comment on column jobrunner.job_files.spread is 'True: each user has a fixed phase within the period; false: all on its edge.';
comment on column jobrunner.job_files.deadline is 'How long one run may take.';
comment on column jobrunner.job_files.per_second is 'Requests per second the source allows a tenant; null: no limit.';
comment on column jobrunner.job_files.expanded is 'The file with its defaults merged, for people.';
comment on column jobrunner.job_files.loaded_at is 'When this version was stored.';

create table jobrunner.tenant_jobs (
  tenant_id bigint not null references jobrunner.tenants (id),
  job_name text not null references jobrunner.job_files (name),
  created_at timestamptz not null default now(),
  primary key (tenant_id, job_name)
);
comment on table jobrunner.tenant_jobs is 'Which jobs every user of a tenant gets.';
comment on column jobrunner.tenant_jobs.tenant_id is 'The tenant.';
comment on column jobrunner.tenant_jobs.job_name is 'The job file.';
comment on column jobrunner.tenant_jobs.created_at is 'When the tenant got the job.';

create table jobrunner.synced_tables (
  name text primary key,
  kind text not null,
  created_at timestamptz not null default now(),
  constraint synced_table_holds_records_or_a_list check (kind in ('entity', 'list'))
);
comment on table jobrunner.synced_tables is 'Tables of schema synced that job files made; removing a user empties them of the user''s rows.';
comment on column jobrunner.synced_tables.name is 'Name of the table in schema synced.';
comment on column jobrunner.synced_tables.kind is 'entity: records of a source; list: ids that the application keeps.';
comment on column jobrunner.synced_tables.created_at is 'When the table was made.';
