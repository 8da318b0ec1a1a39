-- The three schemas, and all that is stored: what `jobrunner migrate` remembers of itself, tenants and users, job files and jobs,
-- checkpoints, runs, workers and sources. Functions and views have files of their own, which are applied after this one.

create schema if not exists jobrunner;
create schema if not exists synced;
create schema if not exists own;
comment on schema jobrunner is 'The machine: tenants, users, jobs, checkpoints, runs. Operators call its functions and read its views.';
comment on schema synced is 'The data: one typed table per entity, one per local list, made and extended from the job files.';
comment on schema own is 'What an application reads: the rows of its own tenant, by its own user keys.';

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
create index tenants_apart on jobrunner.tenants (id) where paused_at is not null or max_running is not null
  or weight <> 1;
comment on index jobrunner.tenants_apart is 'Tenants that a claim must treat apart from the others.';

create table jobrunner.roles (
  kind text primary key,
  name text not null,
  constraint role_kind_is_known check (kind in ('worker', 'operator', 'reader', 'application')),
  constraint role_name_is_unique unique (name)
);
comment on table jobrunner.roles is 'The groups of PostgreSQL whose members work, operate, look or are applications here, as `jobrunner migrate` last found them.';
comment on column jobrunner.roles.kind is 'worker, operator, reader or application.';
comment on column jobrunner.roles.name is 'Name of the group.';

create table jobrunner.applications (
  login text primary key,
  tenant_id bigint not null references jobrunner.tenants (id) on delete cascade,
  added_at timestamptz not null default now(),
  constraint application_login_is_a_role_name check (octet_length(login) between 1 and 63)
);
comment on table jobrunner.applications is 'Whose an application is: what it calls and reads is of this tenant, and of no other.';
comment on column jobrunner.applications.login is 'The role by which the application logs in (session_user): no setting of a session changes it.';
comment on column jobrunner.applications.tenant_id is 'The tenant.';
comment on column jobrunner.applications.added_at is 'When it was added.';
create index applications_of_a_tenant on jobrunner.applications (tenant_id);
comment on index jobrunner.applications_of_a_tenant is 'A tenant''s applications.';

create table jobrunner.people (
  sign_in text primary key,
  role text not null,
  person text not null,
  added_at timestamptz not null default now(),
  constraint sign_in_is_1_to_255_printable_characters check (sign_in ~ '^[^[:cntrl:]]{1,255}$'),
  constraint person_is_1_to_255_printable_characters check (person ~ '^[^[:cntrl:]]{1,255}$'),
  constraint person_has_a_role_name check (octet_length(role) between 1 and 63)
);
comment on table jobrunner.people is 'Who acts on the pages of `jobrunner serve`: what somebody signs in as, the role of the server by which he then reads and acts, and his name for the audit.';
comment on column jobrunner.people.sign_in is 'The name of his token, or what the proxy that signs him in calls him.';
comment on column jobrunner.people.role is 'A role that the login of `jobrunner serve` may take on (set role): what it may not do, he may not.';
comment on column jobrunner.people.person is 'His name, as audit has it.';
comment on column jobrunner.people.added_at is 'When he was added.';

create table jobrunner.users (
  id bigint generated always as identity primary key,
  tenant_id bigint not null references jobrunner.tenants (id),
  key text not null,
  attributes jsonb not null default '{}',
  made jsonb not null default '{}',
  paused_at timestamptz,
  created_at timestamptz not null default now(),
  stands_for_tenant boolean not null default false,
  constraint user_key_is_unique_in_its_tenant unique (tenant_id, key),
  constraint user_key_is_1_to_255_printable_characters check (key ~ '^[^[:cntrl:]]{1,255}$'),
  constraint user_attributes_are_at_most_256_kib check (octet_length(attributes::text) <= 262144),
  constraint user_attributes_are_an_object check (jsonb_typeof(attributes) = 'object'),
  constraint user_that_stands_for_its_tenant_has_the_key_star check (stands_for_tenant = (key = '*'))
);
comment on table jobrunner.users is 'One person''s account within a tenant, whose data is synced.';
comment on column jobrunner.users.id is 'Number of the user; part of every primary key below, so that rows can be distributed by user.';
comment on column jobrunner.users.tenant_id is 'The tenant the user belongs to.';
comment on column jobrunner.users.key is 'The tenant''s own name for the user.';
comment on column jobrunner.users.attributes is 'Values for {user.x} in job files, such as hub_user_id.';
comment on column jobrunner.users.made is 'Attributes that runs made once, since the user lacked them; they stand over attributes, whatever is set there.';
comment on column jobrunner.users.paused_at is 'Since when no job of this user is claimed; null: not paused.';
comment on column jobrunner.users.created_at is 'When the user was added.';
comment on column jobrunner.users.stands_for_tenant is 'True: the tenant itself, key *; its jobs are those of scope tenant, its rows are shared by all users.';

create table jobrunner.tenant_keys (
  tenant_id bigint not null references jobrunner.tenants (id),
  id bytea not null,
  public_key bytea not null,
  wrapped bytea,
  wrapped_by bytea not null,
  made_at timestamptz not null default now(),
  retired_at timestamptz,
  renewal_asked_at timestamptz,
  primary key (tenant_id, id),
  constraint public_key_has_32_bytes check (octet_length(public_key) = 32),
  constraint key_id_has_8_bytes check (octet_length(id) = 8 and octet_length(wrapped_by) = 8),
  constraint wrapped_key_has_72_bytes check (octet_length(wrapped) = 72)
);
comment on table jobrunner.tenant_keys is 'The keys that secrets of a tenant are sealed with: whoever has the public one seals, and workers alone open.';
comment on column jobrunner.tenant_keys.tenant_id is 'The tenant; bound into wrapped.';
comment on column jobrunner.tenant_keys.id is 'The first bytes of the public key''s BLAKE2b hash; a seal begins with it.';
comment on column jobrunner.tenant_keys.public_key is 'Seals (X25519).';
comment on column jobrunner.tenant_keys.wrapped is 'The private key, encrypted with a key of the workers'' key file; null: it is kept outside of the database.';
comment on column jobrunner.tenant_keys.wrapped_by is 'Which key of the key file that is: the first bytes of its BLAKE2b hash.';
comment on column jobrunner.tenant_keys.made_at is 'When it was made.';
comment on column jobrunner.tenant_keys.retired_at is 'Since when nothing is sealed with it any more, while what was is sealed anew; null: it is the one to seal with.';
comment on column jobrunner.tenant_keys.renewal_asked_at is 'Since when another one is wanted in its stead (renew_tenant_key); null: it is not.';
create unique index tenant_seals_with_one_key on jobrunner.tenant_keys (tenant_id) where retired_at is null;
comment on index jobrunner.tenant_seals_with_one_key is 'A tenant has one key to seal with.';
create index tenant_keys_to_renew on jobrunner.tenant_keys (tenant_id) where renewal_asked_at is not null;
comment on index jobrunner.tenant_keys_to_renew is 'Finds the tenants that are to have another key.';

create table jobrunner.key_removals (
  id bytea primary key,
  asked_at timestamptz not null default now(),
  constraint removed_key_id_has_8_bytes check (octet_length(id) = 8)
);
comment on table jobrunner.key_removals is 'Keys that open nothing any more and are kept outside of the database, to be removed there by a worker.';
comment on column jobrunner.key_removals.id is 'The key''s tenant_keys.id.';
comment on column jobrunner.key_removals.asked_at is 'When its tenant was removed, or its key replaced.';

create sequence jobrunner.secret_versions;
comment on sequence jobrunner.secret_versions is 'Drawn for each value of a secret; tells a run whether the secret it read is still the one.';

create table jobrunner.secrets (
  tenant_id bigint not null references jobrunner.tenants (id),
  user_id bigint not null default 0,
  name text not null,
  sealed bytea not null,
  key_id bytea not null generated always as (substring(sealed from 2 for 8)) stored,
  updated_at timestamptz not null default now(),
  current_since timestamptz not null default now(),
  is_brought boolean not null default false,
  version bigint not null default nextval('jobrunner.secret_versions'),
  revision bigint not null default nextval('jobrunner.secret_versions'),
  primary key (user_id, tenant_id, name),
  constraint secret_name_is_a_word check (name ~ '^[a-z_][a-z0-9_]{0,62}$'),
  constraint secret_has_a_key_of_its_tenant foreign key (tenant_id, key_id) references jobrunner.tenant_keys (tenant_id, id)
);
comment on table jobrunner.secrets is 'Sealed credentials of a user, or of a tenant (user_id 0); plain text exists only in workers.';
comment on column jobrunner.secrets.tenant_id is 'The tenant the secret belongs to, with whose key it is sealed.';
comment on column jobrunner.secrets.user_id is 'The user the secret belongs to, 0 for the tenant''s own; its key stands in the seal.';
comment on column jobrunner.secrets.name is 'The x of {secret.x}; stands in the seal.';
comment on column jobrunner.secrets.sealed is 'A box sealed to the tenant''s key, by whoever set it; the server never sees what is in it.';
comment on column jobrunner.secrets.key_id is 'The key of the tenant that it is sealed with.';
comment on column jobrunner.secrets.updated_at is 'When this value was stored.';
comment on column jobrunner.secrets.current_since is 'When it was set, or when the last record was changed that brought it; an older record brings nothing.';
comment on column jobrunner.secrets.is_brought is 'A record of a source has brought it; what a person has set stays whatever records bring.';
comment on column jobrunner.secrets.version is 'Changes when a person sets or a record brings another, and not when a source replaces its credential.';
comment on column jobrunner.secrets.revision is 'Changes with every value, and not when the same value is sealed anew.';
create index secrets_by_key on jobrunner.secrets (tenant_id, key_id);
comment on index jobrunner.secrets_by_key is 'What is sealed with a key, which is sealed anew before the key goes.';

create table jobrunner.renewals (
  tenant_id bigint not null references jobrunner.tenants (id),
  user_id bigint not null default 0,
  credential text not null,
  lease uuid,
  leased_until timestamptz,
  job_user_id bigint,
  job_name text,
  fence bigint,
  access_token bytea,
  good_until timestamptz,
  primary key (user_id, tenant_id, credential),
  constraint lease_has_an_end check ((lease is null) = (leased_until is null)),
  constraint lease_belongs_to_a_whole_run check (num_nulls(job_user_id, job_name, fence) in (0, 3)),
  constraint access_token_has_an_end check ((access_token is null) = (good_until is null))
);
comment on table jobrunner.renewals is 'Credentials that a source renews: who renews one at present, and the access token that came of it last.';
comment on column jobrunner.renewals.tenant_id is 'The tenant whose credential it is.';
comment on column jobrunner.renewals.user_id is 'The user whose credential it is, 0 for the tenant''s own.';
comment on column jobrunner.renewals.credential is 'A source''s id for access tokens, the secret''s name for a token that rotates.';
comment on column jobrunner.renewals.lease is 'Whoever knows it may renew the credential; null: nobody does.';
comment on column jobrunner.renewals.leased_until is 'The lease ends then, or earlier with the run that holds it.';
comment on column jobrunner.renewals.job_user_id is 'The run that holds the lease: user of its job; null: no claimed run.';
comment on column jobrunner.renewals.job_name is 'The run that holds the lease: name of its job.';
comment on column jobrunner.renewals.fence is 'The run that holds the lease: its number.';
comment on column jobrunner.renewals.access_token is 'Sealed as secrets are; null: there is none.';
comment on column jobrunner.renewals.good_until is 'No request is signed with the access token from then on.';

create table jobrunner.limited_tenants (
  tenant_id bigint primary key references jobrunner.tenants (id) on delete cascade,
  since timestamptz not null default now(),
  is_settled boolean not null default false
);
comment on table jobrunner.limited_tenants is 'Tenants that have, or had, max_running. A row''s lock is the turn to claim from the tenant.';
comment on column jobrunner.limited_tenants.tenant_id is 'The tenant.';
comment on column jobrunner.limited_tenants.since is 'When its limit was last set.';
comment on column jobrunner.limited_tenants.is_settled is 'No claim is under way that began before the limit was set, and all that runs of the tenant is in limited_runs; until then it is not claimed from.';
create index limited_tenants_unsettled on jobrunner.limited_tenants (tenant_id) where not is_settled;
comment on index jobrunner.limited_tenants_unsettled is 'Limits that are new.';

create table jobrunner.limited_runs (
  tenant_id bigint not null references jobrunner.tenants (id) on delete cascade,
  user_id bigint not null,
  name text not null,
  fence bigint not null,
  primary key (tenant_id, user_id, name, fence)
);
comment on table jobrunner.limited_runs is 'Runs that count towards max_running. One that has ended is deleted by the next claim from its tenant, so that an end writes nothing here.';
comment on column jobrunner.limited_runs.tenant_id is 'The tenant with the limit.';
comment on column jobrunner.limited_runs.user_id is 'The run''s job: its user.';
comment on column jobrunner.limited_runs.name is 'The run''s job: its name.';
comment on column jobrunner.limited_runs.fence is 'Number of the run.';

create table jobrunner.job_files (
  name text primary key,
  source text not null,
  every interval not null,
  spread boolean,
  deadline interval not null,
  per_second double precision,
  expanded jsonb not null,
  loaded_at timestamptz not null default now(),
  paused_at timestamptz,
  scope text not null default 'user',
  notifies boolean not null default false,
  soft interval,
  hard interval,
  triggers jsonb not null default '[]',
  slow_after interval,
  slow_every interval,
  unscheduled_after_user_id bigint,
  columns_changed jsonb not null default '{}',
  events text[] not null default '{}',
  version bigint not null default 0,
  constraint job_file_period_is_positive check (every > interval '0'),
  constraint job_file_deadline_is_positive check (deadline > interval '0'),
  constraint job_file_scope_is_user_or_tenant check (scope in ('user', 'tenant')),
  constraint job_file_freshness_has_both_ages check ((soft is null) = (hard is null)),
  constraint job_file_soft_age_is_the_smaller check (soft <= hard),
  constraint slowing_has_a_time_and_a_longer_period check (
    (slow_after is null) = (slow_every is null) and slow_after > interval '0' and slow_every > every
  )
);
comment on table jobrunner.job_files is 'The job files as `jobrunner migrate` last saw them.';
comment on column jobrunner.job_files.name is 'Unique name of the job, such as metube.refresh.';
comment on column jobrunner.job_files.source is 'Id of the source, whose budget and breaker its jobs share within a tenant.';
comment on column jobrunner.job_files.every is 'The period.';
comment on column jobrunner.job_files.spread is 'True: each user has a fixed phase within the period; false: all on its edge; null: the period begins with each success.';
comment on column jobrunner.job_files.deadline is 'How long one run may take.';
comment on column jobrunner.job_files.per_second is 'Requests per second the source allows a tenant; null: no limit.';
comment on column jobrunner.job_files.expanded is 'The file with its defaults merged, for people.';
comment on column jobrunner.job_files.loaded_at is 'When this version was stored.';
comment on column jobrunner.job_files.paused_at is 'Since when no job of the file is claimed (pause_job_file); null: not paused.';
comment on column jobrunner.job_files.scope is 'user: a job for each user; tenant: one for the tenant.';
comment on column jobrunner.job_files.notifies is 'True: a run that changed something is told on channel jobrunner_changed.';
comment on column jobrunner.job_files.soft is 'Younger rows are fresh: nothing is asked of the source; null: no rule of freshness.';
comment on column jobrunner.job_files.hard is 'Rows as old as this are not to be used before they are read again.';
comment on column jobrunner.job_files.triggers is 'Events that make its jobs due: [{event, debounce_ms, cancel_on}].';
comment on column jobrunner.job_files.slow_after is 'A job for which nobody has asked for so long slows down; null: none does.';
comment on column jobrunner.job_files.slow_every is 'The period of a job that has slowed down.';
comment on column jobrunner.job_files.unscheduled_after_user_id is 'Standing jobs of the users after this one do not go by the file''s schedule yet; null: all do.';
comment on column jobrunner.job_files.columns_changed is 'Entities whose columns were added or are read otherwise: {"entity": {"at", "over"}}. Each user''s next full pass that fills them comes within the span "over" of "at".';
comment on column jobrunner.job_files.events is 'What applications are told of its runs: sync, duplicates, conflicts, zones, trouble.';
comment on column jobrunner.job_files.version is 'Stands for the file as it is stored: a worker whose file has another one has another file.';
create index job_files_telling on jobrunner.job_files (name)
where events <> '{}';
comment on index jobrunner.job_files_telling is 'Job files of whose runs applications are told.';

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

create table jobrunner.synced_tables (
  name text primary key,
  kind text not null,
  created_at timestamptz not null default now(),
  store text not null default 'synced',
  writable jsonb,
  own_view text,
  told jsonb,
  told_anew uuid,
  constraint synced_table_holds_records_or_a_list check (kind in ('entity', 'list')),
  constraint synced_table_store_is_synced_or_disposable check (store in ('synced', 'disposable'))
);
comment on table jobrunner.synced_tables is 'Tables of schema synced that job files made; removing a user empties them of the user''s rows.';
comment on column jobrunner.synced_tables.name is 'Name of the table in schema synced.';
comment on column jobrunner.synced_tables.kind is 'entity: records of a source; list: ids that the application keeps.';
comment on column jobrunner.synced_tables.created_at is 'When the table was made.';
comment on column jobrunner.synced_tables.store is 'synced: only ever added to; disposable: dropped, made and fetched again on a misfit.';
comment on column jobrunner.synced_tables.writable is 'What local edits and merges must know: {job, fields, key, stamps, record_name, change_tag, soft_field, push, sends_deletes, debounce_ms, hides, unique}; of a list {job, debounce_ms} or null.';
comment on column jobrunner.synced_tables.own_view is 'What show_own made view own.<name> by, and how the server prints it; null: it is yet to be made.';
comment on column jobrunner.synced_tables.told is 'What changes_since tells of a row: {key, row}, lists of columns, and waits, true where rows may wait for their deletion; null: it tells no changes.';
comment on column jobrunner.synced_tables.told_anew is 'Another one whenever changes may have been missed: when the triggers that note them were made, and at each truncate.';

create table jobrunner.workers (
  id integer generated always as identity primary key,
  host text not null,
  pid integer not null,
  version text not null,
  capacity integer not null,
  running_count integer not null default 0,
  started_at timestamptz not null default now(),
  heartbeat_at timestamptz not null default now(),
  session_gone_at timestamptz,
  draining_at timestamptz,
  ended_at timestamptz,
  end_reason text,
  cleared_at timestamptz,
  session_pid integer,
  session_started_at timestamptz,
  job_names text[],
  job_versions bigint[],
  missed_from timestamptz,
  missed_until timestamptz,
  constraint worker_capacity_is_positive check (capacity > 0),
  constraint ended_worker_has_a_reason check ((ended_at is null) = (end_reason is null)),
  constraint only_an_ended_worker_is_cleared check (cleared_at is null or ended_at is not null),
  constraint gap_of_a_worker_has_both_ends check ((missed_from is null) = (missed_until is null))
) with (fillfactor = 50);
comment on table jobrunner.workers is 'Worker processes. One heartbeat row each keeps all of its claims.';
comment on column jobrunner.workers.id is 'Number of the worker.';
comment on column jobrunner.workers.host is 'The machine or container it runs on.';
comment on column jobrunner.workers.pid is 'Its process id there.';
comment on column jobrunner.workers.version is 'The program''s version.';
comment on column jobrunner.workers.capacity is 'Most jobs it runs at once.';
comment on column jobrunner.workers.running_count is 'Jobs it ran at its last heartbeat.';
comment on column jobrunner.workers.started_at is 'When it registered.';
comment on column jobrunner.workers.heartbeat_at is 'Its last sign of life; silent for longer than the lease, its jobs are taken away.';
comment on column jobrunner.workers.session_gone_at is 'When another worker first saw that its session is gone.';
comment on column jobrunner.workers.draining_at is 'Since when it claims nothing more.';
comment on column jobrunner.workers.ended_at is 'When it left or was given up.';
comment on column jobrunner.workers.end_reason is 'stopped, silent or session_gone.';
comment on column jobrunner.workers.cleared_at is 'When an ended worker was seen to hold no job any more; until then its jobs are looked for.';
comment on column jobrunner.workers.session_pid is 'The server''s process of the session that stands for the worker.';
comment on column jobrunner.workers.session_started_at is 'When that session began: another may get its process number.';
comment on column jobrunner.workers.job_names is 'The jobs whose files it has; null: it does not say.';
comment on column jobrunner.workers.job_versions is 'Of each of them, what stands for the file''s content; see job_files.version.';
comment on column jobrunner.workers.missed_from is 'Its last sign of life before its beats failed to come; null: they never did.';
comment on column jobrunner.workers.missed_until is 'When it beat again; who fell silent in that gap is given a lease to come back.';
create index workers_to_clear on jobrunner.workers (id) where ended_at is not null and cleared_at is null;
comment on index jobrunner.workers_to_clear is 'Ended workers whose jobs may still have to be taken away.';

create table jobrunner.slot_use (
  worker_id integer primary key references jobrunner.workers (id) on delete cascade,
  noted_at timestamptz not null default now(),
  tenant_ids bigint[] not null,
  slot_ms bigint[] not null,
  other_ms bigint not null,
  constraint slot_use_is_told_in_pairs check (cardinality(tenant_ids) = cardinality(slot_ms)),
  constraint slot_use_is_not_negative check (other_ms >= 0)
) with (fillfactor = 50);
comment on table jobrunner.slot_use is 'How long tenants held slots of each worker in the five minutes before it told so; a worker that had no run tells nothing.';
comment on column jobrunner.slot_use.worker_id is 'The worker.';
comment on column jobrunner.slot_use.noted_at is 'When it told.';
comment on column jobrunner.slot_use.tenant_ids is 'The tenants that had most, a thousand at most.';
comment on column jobrunner.slot_use.slot_ms is 'Of each: how long its runs held slots, added up.';
comment on column jobrunner.slot_use.other_ms is 'All other tenants together.';

create type jobrunner.counter_values as (
  pages bigint,
  fetched bigint,
  inserted bigint,
  updated bigint,
  unchanged bigint,
  skipped_older bigint,
  skipped_incompatible bigint,
  filtered bigint,
  duplicate bigint,
  deleted bigint,
  swept bigint,
  pushed bigint,
  push_failed bigint,
  edits_lost bigint,
  skipped bigint
);
comment on type jobrunner.counter_values is 'What a run did, counted. A counter is declared here alone: add_counters and total follow the type.';
comment on column jobrunner.counter_values.pages is 'Pages that were committed.';
comment on column jobrunner.counter_values.fetched is 'Records that came, one of the eight counters below each.';
comment on column jobrunner.counter_values.inserted is 'Records that made a new row.';
comment on column jobrunner.counter_values.updated is 'Records that changed a row.';
comment on column jobrunner.counter_values.unchanged is 'Records that were stored already.';
comment on column jobrunner.counter_values.skipped_older is 'Records older than the row that is stored.';
comment on column jobrunner.counter_values.skipped_incompatible is 'Records that could not be read.';
comment on column jobrunner.counter_values.filtered is 'Records that the job file does not keep.';
comment on column jobrunner.counter_values.duplicate is 'Records whose key came again on the same page.';
comment on column jobrunner.counter_values.deleted is 'Rows that a tombstone deleted.';
comment on column jobrunner.counter_values.swept is 'Rows that were deleted because a full pass did not show them, or because they were too old.';
comment on column jobrunner.counter_values.pushed is 'Local edits that the source took.';
comment on column jobrunner.counter_values.push_failed is 'Local edits that the source refused.';
comment on column jobrunner.counter_values.edits_lost is 'Local edits and deletions that gave way to what the source had.';
comment on column jobrunner.counter_values.skipped is 'Entities that began to be skipped: the source has nothing to read there for this user.';

create domain jobrunner.counters as jobrunner.counter_values
  constraint counters_add_up check (
    (value).fetched = (value).inserted + (value).updated + (value).unchanged + (value).skipped_older
      + (value).skipped_incompatible + (value).filtered + (value).duplicate + (value).deleted
  );
comment on domain jobrunner.counters is 'Counters that add up: every record that came is counted once more by what became of it.';

create type jobrunner.run_end as (
  user_id bigint,
  name text,
  fence bigint,
  nonce uuid,
  outcome text,
  error_kind text,
  error text,
  failures jsonb,
  wait_ms bigint,
  requests integer,
  ended_passes jsonb,
  calls jsonb,
  has_committed boolean,
  is_unchanged boolean,
  secret_versions bigint[],
  is_renewed boolean,
  crashes_allowed integer,
  chance double precision,
  host text
);
comment on type jobrunner.run_end is 'How one run ended, for finish_runs and whoever else ends a claim.';
comment on column jobrunner.run_end.user_id is 'Whose data was synced.';
comment on column jobrunner.run_end.name is 'The job.';
comment on column jobrunner.run_end.fence is 'Number of the run.';
comment on column jobrunner.run_end.nonce is 'Random half of the fence.';
comment on column jobrunner.run_end.outcome is 'complete, partial, deferred, skipped, needs_reauth or failed; null: the claim is given back, its run had not begun.';
comment on column jobrunner.run_end.error_kind is 'Why it did not come to its end.';
comment on column jobrunner.run_end.error is 'The same in words, at most 1 KiB, without secrets.';
comment on column jobrunner.run_end.failures is 'Null or [{entity, kind, error}]: where it failed.';
comment on column jobrunner.run_end.wait_ms is 'How long the source asked a deferred run to wait.';
comment on column jobrunner.run_end.requests is 'Requests that it sent.';
comment on column jobrunner.run_end.ended_passes is 'Null or [{entity, position}], the position by the names of a checkpoint''s columns: passes that ended without anything to write, with the page they follow (0: none of the pass).';
comment on column jobrunner.run_end.calls is 'Null or [{call, list_hash}]: calls that succeeded and that no page''s transaction has remembered.';
comment on column jobrunner.run_end.has_committed is 'It may have committed a page or a push, so that its counters must be read.';
comment on column jobrunner.run_end.is_unchanged is 'It read every entity to its end and found nothing that a checkpoint would have to note.';
comment on column jobrunner.run_end.secret_versions is 'Versions of the secrets that a refused run had read: what is stored beside them came too late for it.';
comment on column jobrunner.run_end.is_renewed is 'Of a refused run: such a secret is there, by lock_ends.';
comment on column jobrunner.run_end.crashes_allowed is 'Of a run whose worker died: the job is set aside if it has crashed as often before.';
comment on column jobrunner.run_end.chance is 'A random number from 0 to 1, which spreads waits.';
comment on column jobrunner.run_end.host is 'The host of its source that the user has chosen; null: the file or the tenant names it.';

create table jobrunner.claims (
  worker_id bigint not null,
  first_fence bigint not null,
  user_ids bigint[] not null,
  primary key (worker_id, first_fence),
  constraint claim_has_jobs check (cardinality(user_ids) between 1 and 999)
);
comment on table jobrunner.claims is 'Batches in which workers have claimed jobs: what a worker holds is found by them (held_jobs). A row goes some time after the last of its runs.';
comment on column jobrunner.claims.worker_id is 'Who has claimed.';
comment on column jobrunner.claims.first_fence is 'The fence of the first job; those of the others follow one by one.';
comment on column jobrunner.claims.user_ids is 'Of each job, in the order of their fences, its user.';

create table jobrunner.announcements (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  transaction xid8 not null default pg_current_xact_id(),
  since timestamptz,
  tenant_id bigint
);
comment on table jobrunner.announcements is 'What each worker must learn within a second, and a notification may miss: jobs that became due in the past, changes of a tenant. Kept for an hour.';
comment on column jobrunner.announcements.id is 'Number of the row.';
comment on column jobrunner.announcements.at is 'When its transaction began.';
comment on column jobrunner.announcements.transaction is 'Its transaction, by which a reader knows what has become visible since it looked last (news_for_workers).';
comment on column jobrunner.announcements.since is 'Jobs are due from then on that were not before; null: none.';
comment on column jobrunner.announcements.tenant_id is 'Whose: only this tenant''s jobs, or its weight or limit has changed; null: any tenant''s.';

create sequence jobrunner.fences increment by 1000;
comment on sequence jobrunner.fences is 'Fences of a claim: each of its jobs gets one of the thousand from this number on, which is also its run''s number. They rise over all jobs.';

create table jobrunner.jobs (
  user_id bigint not null,
  tenant_id bigint not null,
  name text not null,
  every interval not null,
  phase interval,
  deadline interval not null,
  priority smallint not null default 0,
  paused_at timestamptz,
  paused_with_user boolean not null default false,
  paused_with_file boolean not null default false,
  quarantined_at timestamptz,
  quarantine_reason text,
  reauth_needed_at timestamptz,
  deferred_until timestamptz,
  untriggered_due_at timestamptz,
  triggered_at timestamptz,
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
  rerun_forced boolean not null default false,
  rerun_entity text,
  deferrals integer not null default 0,
  fruitless_runs integer not null default 0,
  claimable_at timestamptz not null generated always as (
    case
      when worker_id is null and (paused_at is not null or quarantined_at is not null or reauth_needed_at is not null)
        then 'infinity'
      else due_at
    end
  ) stored,
  slows_at timestamptz,
  slowed_at timestamptz,
  primary key (user_id, name),
  constraint running_job_has_fence_nonce_and_times check (
    (worker_id is null and started_at is null and deadline_at is null and next_due_at is null)
    or (worker_id is not null and fence > 0 and nonce is not null and started_at is not null
      and deadline_at is not null and next_due_at is not null)
  ),
  constraint running_job_has_the_due_at_it_answers_to check (worker_id is null or due_at <= started_at),
  constraint rerun_is_requested_only_of_a_running_job check (not rerun_requested or worker_id is not null),
  constraint cancel_is_requested_only_of_a_running_job check (cancel_requested_at is null or worker_id is not null),
  constraint quarantined_job_has_a_reason check ((quarantined_at is null) = (quarantine_reason is null)),
  constraint job_that_is_paused_with_another_is_paused check (paused_at is not null or not paused_with_user
    and not paused_with_file),
  constraint job_counts_are_not_negative check (
    consecutive_failures >= 0 and crashes >= 0 and stalled_runs >= 0 and fruitless_runs >= 0
  ),
  constraint job_phase_lies_within_its_period check (phase >= interval '0' and phase < every),
  constraint job_outcome_is_known check (
    last_outcome in ('complete', 'partial', 'deferred', 'skipped', 'needs_reauth', 'failed')
  ),
  constraint job_error_is_at_most_1_kib check (octet_length(last_error) <= 1024),
  constraint rerun_request_belongs_to_a_rerun check (rerun_requested or (not rerun_forced and rerun_entity is null)),
  constraint job_deferrals_are_not_negative check (deferrals >= 0),
  constraint job_period_and_deadline_are_within_bounds check (
    every between interval '1 second' and interval '10 years'
    and deadline between interval '1 millisecond' and interval '10 years'
  ),
  constraint job_priority_is_a_lane check (priority in (-1, 0, 1)),
  constraint job_that_is_to_slow_down_has_not_yet check (slows_at is null or slowed_at is null)
) with (fillfactor = 70);
comment on table jobrunner.jobs is 'One standing row per user and job file: it is its own schedule. Unique by key, so a job has at most one live run.';
comment on column jobrunner.jobs.user_id is 'Whose data is synced.';
comment on column jobrunner.jobs.tenant_id is 'The user''s tenant.';
comment on column jobrunner.jobs.name is 'The job file.';
comment on column jobrunner.jobs.every is 'The period: the user''s, the tenant''s or the job file''s, or the slower one of the file.';
comment on column jobrunner.jobs.phase is 'This user''s fixed place within the period; ticks never drift from it. Null: the period begins with each success.';
comment on column jobrunner.jobs.deadline is 'How long one run may take.';
comment on column jobrunner.jobs.priority is '1: a person or application asked for the run, first within its tenant; 0: the clock did; -1: the first run of a user who was added with many, last within its tenant.';
comment on column jobrunner.jobs.paused_at is 'Since when the job is not claimed; null: not paused.';
comment on column jobrunner.jobs.paused_with_user is 'True: paused because its user is, and resumed with the user.';
comment on column jobrunner.jobs.paused_with_file is 'True: paused because its job file is, and resumed with the file.';
comment on column jobrunner.jobs.quarantined_at is 'Since when the job is set aside because it kills its workers or makes no progress; until due_at.';
comment on column jobrunner.jobs.quarantine_reason is 'Why it was set aside.';
comment on column jobrunner.jobs.reauth_needed_at is 'Since when the source refuses the credential; a new secret ends it.';
comment on column jobrunner.jobs.deferred_until is 'The source asked for patience until then.';
comment on column jobrunner.jobs.untriggered_due_at is 'While a trigger''s debounce runs: the due_at that holds again if the trigger is called off.';
comment on column jobrunner.jobs.triggered_at is 'When the event came that began the debounce, while that runs.';
comment on column jobrunner.jobs.rerun_requested is 'While running: an enqueue came; one more run follows.';
comment on column jobrunner.jobs.force_requested is 'The run in progress, else the next one, ignores min_gap.';
comment on column jobrunner.jobs.entity_requested is 'The run in progress, else the next one, syncs this entity only.';
comment on column jobrunner.jobs.cancel_requested_at is 'While running: when someone asked it to stop.';
comment on column jobrunner.jobs.consecutive_failures is 'Failed runs in a row; a complete run clears it.';
comment on column jobrunner.jobs.crashes is 'Runs in a row that ended with their worker''s death and had committed no page.';
comment on column jobrunner.jobs.fruitless_runs is 'Runs in a row that were cut off by a deadline or a cap of pages and had read nothing new: each waits longer for the next.';
comment on column jobrunner.jobs.stalled_runs is 'Runs in a row that met their deadline before any page was committed.';
comment on column jobrunner.jobs.last_error_kind is 'Kind of the last error; cleared by the next complete run.';
comment on column jobrunner.jobs.last_error is 'Text of the last error, at most 1 KiB, without secrets; cleared by the next complete run.';
comment on column jobrunner.jobs.last_error_at is 'When the last error happened.';
comment on column jobrunner.jobs.last_outcome is 'How the last run ended.';
comment on column jobrunner.jobs.last_run_at is 'When the last run ended.';
comment on column jobrunner.jobs.last_success_at is 'When the last complete run ended.';
comment on column jobrunner.jobs.unchanged_at is 'When a run last read every entity to its end and found nothing that a checkpoint would have to note.';
comment on column jobrunner.jobs.due_at is 'The job is due when this has passed. A running job keeps the one it answers to; next_due_at takes its place when the run ends.';
comment on column jobrunner.jobs.state is 'running, paused, quarantined, needs_reauth or waiting; follows from the other columns. Only a waiting job is claimed.';
comment on column jobrunner.jobs.fence is 'Number drawn at the last claim, also the number of that run; every write of the run proves it.';
comment on column jobrunner.jobs.nonce is 'Random half of the fence: tells a run of before a failover from one after it.';
comment on column jobrunner.jobs.worker_id is 'The worker that runs the job now; null: nobody.';
comment on column jobrunner.jobs.started_at is 'While running: when it was claimed.';
comment on column jobrunner.jobs.deadline_at is 'While running: when it must yield.';
comment on column jobrunner.jobs.next_due_at is 'While running: the tick after this one, set before the work starts, so that a crash can''t lose it.';
comment on column jobrunner.jobs.rerun_forced is 'While running: the run that follows ignores min_gap and a deferral.';
comment on column jobrunner.jobs.rerun_entity is 'While running: the run that follows syncs this entity only.';
comment on column jobrunner.jobs.deferrals is 'Runs in a row that were deferred before they committed anything; each waits longer at least.';
comment on column jobrunner.jobs.claimable_at is 'When the job may be claimed: due_at, or infinity while it is parked and does not run. A claim does not change it.';
comment on column jobrunner.jobs.slows_at is 'When the job slows down unless somebody asks for it before; null: it does not, or has.';
comment on column jobrunner.jobs.slowed_at is 'Since when it has the slower period of its file; null: it has its own.';
create index jobs_quarantined on jobrunner.jobs (due_at) where quarantined_at is not null;
comment on index jobrunner.jobs_quarantined is 'Finds those whose quarantine is over.';
create index jobs_stopping on jobrunner.jobs (cancel_requested_at) where cancel_requested_at is not null;
comment on index jobrunner.jobs_stopping is 'Runs that were asked to stop.';
create index jobs_troubled on jobrunner.jobs (
    (consecutive_failures > 0 and quarantined_at is null and reauth_needed_at is null), user_id, name
  )
  where consecutive_failures > 0 or quarantined_at is not null or reauth_needed_at is not null or stalled_runs > 1
    or deferrals > 4 or fruitless_runs > 1;
comment on index jobrunner.jobs_troubled is 'Jobs that do not get on, and at the end those that merely fail, of which a source that is away makes many; a healthy one is not in it, so that its runs do not write it.';
create index jobs_by_cause on jobrunner.jobs (tenant_id, name, coalesce(last_error_kind, ''), user_id)
  where consecutive_failures > 0 or quarantined_at is not null or reauth_needed_at is not null or stalled_runs > 1
    or deferrals > 4 or last_error_kind in ('breaker_open', 'database', 'no_key');
comment on index jobrunner.jobs_by_cause is 'The same by what is in their way, for count_causes, and those that are put off since something is away.';
create index jobs_due on jobrunner.jobs (claimable_at, user_id);
comment on index jobrunner.jobs_due is 'Tells whose jobs became due since the last look (look_due). A job that runs is in it too, at the due_at it answers to; one that is parked is at its end.';
create index jobs_of_tenant on jobrunner.jobs (tenant_id, priority, claimable_at, user_id);
comment on index jobrunner.jobs_of_tenant is 'The oldest due jobs of a tenant, lane by lane, for a claim (claim_of_tenants).';
create index jobs_suspect on jobrunner.jobs (claimable_at) where crashes >= 2;
comment on index jobrunner.jobs_suspect is 'Jobs that may have killed two workers: claimed one at a time, so that the third death has one culprit.';
create index jobs_deferred on jobrunner.jobs (deferred_until) where deferred_until is not null;
comment on index jobrunner.jobs_deferred is 'Jobs whose source asked for patience, for count_waiting; any other is not in it.';
create index jobs_slowing on jobrunner.jobs (slows_at) where slows_at is not null;
comment on index jobrunner.jobs_slowing is 'Finds those that slow down now.';

create table jobrunner.checkpoints (
  user_id bigint not null,
  job_name text not null,
  entity text not null,
  tenant_id bigint not null,
  generation bigint not null default 0,
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
  counters jobrunner.counters not null default '(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0)',
  pass_is_whole boolean not null default true,
  pass_proves_absence boolean not null default true,
  last_full_at timestamptz,
  full_by_other_file boolean not null default false,
  validator text,
  probe text,
  pass_probe text,
  record_failures jsonb not null default '[]',
  pass_number integer not null default 0,
  full_asked integer not null default 0,
  full_begun integer not null default 0,
  full_ended integer not null default 0,
  repair_asked integer not null default 0,
  full_requested boolean not null generated always as (full_asked > full_begun) stored,
  repair_requested boolean not null generated always as (repair_asked > full_ended) stored,
  pass_unreadable boolean not null default false,
  asked bigint,
  full_page integer not null default 0,
  unread jsonb,
  has_shared_keys boolean not null default false,
  troubles jsonb,
  skipped_since timestamptz,
  skip_reason text,
  primary key (user_id, job_name, entity),
  constraint pass_is_full_or_incremental check (pass_kind in ('full', 'incremental')),
  constraint pass_in_progress_has_a_start check ((pass_kind is null) = (pass_started_at is null)),
  constraint cursor_belongs_to_a_pass check (cursor is null or pass_kind is not null),
  constraint checkpoint_error_is_at_most_1_kib check (octet_length(last_error) <= 1024),
  constraint checkpoint_has_at_most_five_record_failures check (jsonb_array_length(record_failures) <= 5),
  constraint troubles_are_named_by_their_kind_or_null check (jsonb_typeof(troubles) = 'object' and troubles <> '{}'),
  constraint full_requests_are_asked_then_begun_then_ended check (full_ended <= full_begun
    and full_begun <= full_asked),
  constraint repair_is_one_of_the_full_requests check (repair_asked <= full_asked),
  constraint skipped_entity_has_a_reason check ((skipped_since is null) = (skip_reason is null))
) with (fillfactor = 70);
comment on table jobrunner.checkpoints is 'How far each entity of a job has come; moved only in the transaction that writes the page it covers.';
comment on column jobrunner.checkpoints.user_id is 'Whose data.';
comment on column jobrunner.checkpoints.job_name is 'The job.';
comment on column jobrunner.checkpoints.entity is 'The kind of record.';
comment on column jobrunner.checkpoints.tenant_id is 'The user''s tenant.';
comment on column jobrunner.checkpoints.generation is 'Raised by a reset; a page read under an older one is not written.';
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
comment on column jobrunner.checkpoints.run_fence is 'The run that the counters belong to.';
comment on column jobrunner.checkpoints.counters is 'What the run of run_fence has done with the entity so far.';
comment on column jobrunner.checkpoints.pass_proves_absence is 'False: a record of the pass in progress could not be named, or a list in one goes on, so what the pass does not show may still exist.';
comment on column jobrunner.checkpoints.pass_is_whole is 'False: a record of the pass in progress could not be read, so what it does not show may still exist.';
comment on column jobrunner.checkpoints.full_by_other_file is 'That pass was made by a worker with another job file than the stored one, so that it filled no new column.';
comment on column jobrunner.checkpoints.last_full_at is 'When the last full pass that was read to its end began; full_every counts from here.';
comment on column jobrunner.checkpoints.validator is 'ETag and Last-Modified of the one answer that the last pass was, with the address they belong to; null: it had several.';
comment on column jobrunner.checkpoints.probe is 'What the probe said when the last pass was read.';
comment on column jobrunner.checkpoints.pass_probe is 'What the probe said before the pass in progress.';
comment on column jobrunner.checkpoints.record_failures is 'The last five distinct failures of single records: [{code, reason, record, wait_s, at}].';
comment on column jobrunner.checkpoints.pass_number is 'Passes that were begun, each by the commit of its first page: a page of another pass is refused.';
comment on column jobrunner.checkpoints.full_asked is 'Number of the last request for a full pass; every request takes the next.';
comment on column jobrunner.checkpoints.full_begun is 'The last request that a full pass knew of when it began.';
comment on column jobrunner.checkpoints.full_ended is 'The last request that a full pass knew of when it was read to its end.';
comment on column jobrunner.checkpoints.repair_asked is 'The last request that was for a repair: rows its pass does not show lose their tag and are sent anew.';
comment on column jobrunner.checkpoints.full_requested is 'The next run starts this entity over with a full pass; follows from the numbers of the requests.';
comment on column jobrunner.checkpoints.repair_requested is 'A repair was asked for and is not at its end; follows from the numbers of the requests.';
comment on column jobrunner.checkpoints.pass_unreadable is 'True: not one record of the pass in progress could be read so far. A pass that ends so is given up.';
comment on column jobrunner.checkpoints.asked is 'Stands for everything that decides which records the source shows; where it changes, every position here is forgotten.';
comment on column jobrunner.checkpoints.full_page is 'The most records that a page has had which led on to another: a page with fewer is the last one.';
comment on column jobrunner.checkpoints.unread is 'Values that the last pass with any could not read, by field or flag: {field: {count, example, read_elsewhere}}; null: none.';
comment on column jobrunner.checkpoints.has_shared_keys is 'Two records of the source were seen with one key: when the record of a row is deleted, another one may live.';
comment on column jobrunner.checkpoints.troubles is 'What waits for a person, apart from the failure of the last run: {kind: {error, since, declaration}}, the kinds those of kinds_of_trouble; null: nothing. Set and ended by set_trouble alone.';
comment on column jobrunner.checkpoints.skipped_since is 'Since when its passes are skipped, by a rule of errors in the job file; null: it is read.';
comment on column jobrunner.checkpoints.skip_reason is 'What the source answered when that began.';
create index checkpoints_with_errors on jobrunner.checkpoints (job_name, user_id) where last_error_kind is not null;
comment on index jobrunner.checkpoints_with_errors is 'Entities whose last run left an error.';
create index checkpoints_in_trouble on jobrunner.checkpoints (job_name, user_id) where troubles is not null;
create index checkpoints_with_unread_values on jobrunner.checkpoints (job_name, entity) where unread is not null;
comment on index jobrunner.checkpoints_with_unread_values is 'Entities with values that could not be read.';
create index skipped_checkpoints on jobrunner.checkpoints (job_name, user_id) where skipped_since is not null;
comment on index jobrunner.skipped_checkpoints is 'Entities that are skipped.';
comment on index jobrunner.checkpoints_in_trouble is 'Entities with something that waits for a person.';

create table jobrunner.seen_pages (
  user_id bigint not null,
  job_name text not null,
  entity text not null,
  pass_number integer not null,
  page_number integer not null,
  keys bigint[] not null,
  primary key (user_id, job_name, entity, pass_number, page_number)
);
comment on table jobrunner.seen_pages is 'Which rows are an entity''s own, because a pass of it has shown or added them; only of entities that delete what a full pass does not show.';
comment on column jobrunner.seen_pages.user_id is 'Whose data.';
comment on column jobrunner.seen_pages.job_name is 'The job.';
comment on column jobrunner.seen_pages.entity is 'The kind of record.';
comment on column jobrunner.seen_pages.pass_number is 'The pass, by its number among the entity''s.';
comment on column jobrunner.seen_pages.page_number is 'The page of the pass; 0: rows that the pass, a full one, lacked without deleting them; -1: those of them that the full pass before lacked too.';
comment on column jobrunner.seen_pages.keys is 'Hashes of the rows'' keys: key_hash.';

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

create table jobrunner.raised_counts (
  user_id bigint not null,
  tenant_id bigint not null,
  source text not null,
  field text not null,
  record text not null,
  tag text,
  number bigint,
  noted_at timestamptz not null default now(),
  arrived_at timestamptz,
  primary key (user_id, source, field, record),
  constraint number_that_is_on_its_way_has_a_tag check (arrived_at is not null or tag is not null
    and number is not null)
);
comment on table jobrunner.raised_counts is 'Which numbers in records of a source a user has raised by one: raise_counts of a job file. Never twice, though an item leaves its list and comes back.';
comment on column jobrunner.raised_counts.user_id is 'The user.';
comment on column jobrunner.raised_counts.tenant_id is 'The user''s tenant.';
comment on column jobrunner.raised_counts.source is 'Id of the source in job files.';
comment on column jobrunner.raised_counts.field is 'Type and field that hold the number, such as Recipe.saveCount.';
comment on column jobrunner.raised_counts.record is 'Name of the record.';
comment on column jobrunner.raised_counts.tag is 'Tag of the version over which the number was written; null: the record is gone.';
comment on column jobrunner.raised_counts.number is 'The number that was written.';
comment on column jobrunner.raised_counts.noted_at is 'When it was about to be sent.';
comment on column jobrunner.raised_counts.arrived_at is 'When it was known to be at the source; null: it may be there.';
create index raised_counts_of_a_record on jobrunner.raised_counts (tenant_id, source, field, record, tag);
comment on index jobrunner.raised_counts_of_a_record is 'Whose number was written over a version.';

create table jobrunner.save_turns (
  user_id bigint not null,
  turn bigint not null,
  primary key (user_id, turn)
);
comment on table jobrunner.save_turns is 'Turns to make a record, which save_record makes and takes away in one transaction: it is empty to whoever looks.';
comment on column jobrunner.save_turns.user_id is 'Whose record.';
comment on column jobrunner.save_turns.turn is 'Hash of the table and of the values by which two records are one.';

create table jobrunner.armed_triggers (
  user_id bigint not null,
  job_name text not null,
  event text not null,
  armed_at timestamptz not null default now(),
  primary key (user_id, job_name, event)
);
comment on table jobrunner.armed_triggers is 'Triggers whose opposite event came last: only from here does their event count, once.';
comment on column jobrunner.armed_triggers.user_id is 'Whose world.';
comment on column jobrunner.armed_triggers.job_name is 'The job that the event would make due.';
comment on column jobrunner.armed_triggers.event is 'The event that is waited for.';
comment on column jobrunner.armed_triggers.armed_at is 'When its opposite came.';

create table jobrunner.runs (
  user_id bigint not null,
  id bigint not null,
  outcome text not null,
  tenant_id bigint not null,
  job_name text not null,
  worker_id integer,
  scheduled_at timestamptz not null,
  started_at timestamptz not null,
  ended_at timestamptz not null default now(),
  error_kind text,
  error text,
  request_count integer not null default 0,
  counters jobrunner.counters not null default '(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0)',
  entities jsonb not null default '{}',
  transaction_id xid8 not null default pg_current_xact_id(),
  primary key (user_id, id, ended_at),
  constraint run_outcome_is_known check (
    outcome in ('complete', 'partial', 'deferred', 'skipped', 'needs_reauth', 'failed')
  ),
  constraint failed_run_has_an_error check (outcome <> 'failed' or error_kind is not null),
  constraint run_error_is_at_most_1_kib check (octet_length(error) <= 1024)
) partition by range (ended_at);
comment on table jobrunner.runs is 'History, appended once when a run ends, one partition a day, dropped by retention. A complete run that found nothing new leaves no row.';
comment on column jobrunner.runs.user_id is 'Whose run.';
comment on column jobrunner.runs.id is 'Number of the run: the fence of its claim.';
comment on column jobrunner.runs.outcome is 'complete, partial, deferred, skipped, needs_reauth or failed.';
comment on column jobrunner.runs.tenant_id is 'The user''s tenant.';
comment on column jobrunner.runs.job_name is 'The job.';
comment on column jobrunner.runs.worker_id is 'The worker that ran it.';
comment on column jobrunner.runs.scheduled_at is 'When it was due.';
comment on column jobrunner.runs.started_at is 'When it was claimed.';
comment on column jobrunner.runs.ended_at is 'When its outcome was written.';
comment on column jobrunner.runs.error_kind is 'Kind of failure or interruption.';
comment on column jobrunner.runs.error is 'What happened, at most 1 KiB, without secrets.';
comment on column jobrunner.runs.request_count is 'Requests it sent; a crashed run''s are not known.';
comment on column jobrunner.runs.counters is 'What the run did, added up over its entities.';
comment on column jobrunner.runs.entities is 'The same counters per entity.';
comment on column jobrunner.runs.transaction_id is 'The transaction that wrote it: who reads on asks for those that have become visible since, whatever their order.';
create table jobrunner.runs_other partition of jobrunner.runs default;
comment on table jobrunner.runs_other is 'Catches runs for whose day no partition exists.';
create index runs_of_a_job on jobrunner.runs (user_id, job_name, ended_at);
comment on index jobrunner.runs_of_a_job is 'One user''s whole story.';
create index runs_by_end on jobrunner.runs using brin (ended_at);
comment on index jobrunner.runs_by_end is 'What ended lately, for raised_alerts.';
create index runs_by_number on jobrunner.runs (id);
comment on index jobrunner.runs_by_number is 'One run, of which a log line has the number.';
create index runs_by_transaction on jobrunner.runs (transaction_id, id);
comment on index jobrunner.runs_by_transaction is 'What has ended since a reader looked last.';
create index runs_of_a_tenant on jobrunner.runs (tenant_id, ended_at);
comment on index jobrunner.runs_of_a_tenant is 'A tenant''s recent runs.';

create table jobrunner.sources (
  tenant_id bigint not null references jobrunner.tenants (id),
  name text not null,
  base text,
  tokens double precision not null default 0,
  refilled_at timestamptz not null default now(),
  consecutive_failures integer not null default 0,
  opened_at timestamptz,
  failed_openings integer not null default 0,
  blocked_until timestamptz,
  block_reason text,
  primary key (tenant_id, name),
  constraint source_base_is_a_web_address check (base ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*[^/?#[:space:]])?$'),
  constraint blocked_source_has_a_reason check ((blocked_until is null) = (block_reason is null)),
  constraint blocked_source_has_been_opened check ((blocked_until is null) = (opened_at is null)),
  constraint open_breaker_has_counted_its_openings check ((opened_at is null) = (failed_openings = 0))
);
comment on table jobrunner.sources is 'Budget and breaker of a source, per tenant, shared by all workers.';
comment on column jobrunner.sources.tenant_id is 'Whose use of the source.';
comment on column jobrunner.sources.name is 'Id of the source in job files; where users choose its host, also id@host for each that has a budget or has failed.';
comment on column jobrunner.sources.base is 'Address for this tenant in place of the job file''s; null: the job file''s.';
comment on column jobrunner.sources.tokens is 'Requests left in the budget at refilled_at; at most one second''s worth.';
comment on column jobrunner.sources.refilled_at is 'When the budget was last refilled.';
comment on column jobrunner.sources.consecutive_failures is 'Runs in a row, over all users, that found the source unavailable.';
comment on column jobrunner.sources.opened_at is 'When the breaker opened, or was opened again by a probe that failed; runs that began before count no more. Null: it is closed.';
comment on column jobrunner.sources.failed_openings is 'How often in a row the breaker was opened: the wait doubles with each.';
comment on column jobrunner.sources.blocked_until is 'Until then the open breaker lets nobody ask; from then on one request probes the source. Null: it is closed.';
comment on column jobrunner.sources.block_reason is 'Why the breaker is open.';
create index sources_troubled on jobrunner.sources (tenant_id, name)
where consecutive_failures > 0 or blocked_until is not null;
comment on index jobrunner.sources_troubled is 'Sources that runs have found unavailable lately.';

create table jobrunner.events (
  transaction_id xid8 not null default pg_current_xact_id(),
  id bigint generated always as identity,
  at timestamptz not null default now(),
  tenant_id bigint not null,
  user_id bigint not null,
  job_name text not null,
  entity text,
  run bigint,
  kind text not null,
  detail jsonb not null default '{}',
  number bigint,
  primary key (transaction_id, id),
  constraint event_kind_is_known check (
    kind in (
      'sync_began', 'pass_began', 'pass_ended', 'sync_ended', 'duplicates_found', 'conflict_decided', 'zone_made', 'trouble_began',
      'recovering', 'trouble_ended'
    )
  )
);
comment on table jobrunner.events is 'What applications are told of runs, where a job file asks for it, written in the transaction that it tells of. Kept for a week. Read it by told_events.';
comment on column jobrunner.events.transaction_id is 'The transaction that wrote it: numbers are drawn before a commit, so that a reader goes by this first.';
comment on column jobrunner.events.id is 'Its number.';
comment on column jobrunner.events.at is 'When that transaction began.';
comment on column jobrunner.events.tenant_id is 'The user''s tenant.';
comment on column jobrunner.events.user_id is 'Whose job.';
comment on column jobrunner.events.job_name is 'The job.';
comment on column jobrunner.events.entity is 'The entity; null: it is of the whole run.';
comment on column jobrunner.events.run is 'The run, which jobrunner.runs has by this number where it left a row.';
comment on column jobrunner.events.kind is 'sync_began, sync_ended, duplicates_found, conflict_decided, zone_made, trouble_began or trouble_ended.';
comment on column jobrunner.events.detail is 'What there is to say.';
comment on column jobrunner.events.number is 'Given by a reader after the commit, and what readers of events_since go by; null: none has come to it.';
create index events_without_number on jobrunner.events (tenant_id, id) where number is null;
comment on index jobrunner.events_without_number is 'What the next reader gives numbers to.';
create index events_by_number on jobrunner.events (tenant_id, number) where number is not null;
comment on index jobrunner.events_by_number is 'What a reader reads.';
create index events_of_a_user on jobrunner.events (user_id, transaction_id, id);
comment on index jobrunner.events_of_a_user is 'What one user''s jobs told.';

create table jobrunner.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  login text not null default session_user,
  role text,
  person text,
  verb text not null,
  tenant_id bigint,
  user_id bigint,
  object text,
  detail jsonb not null default '{}',
  constraint audit_detail_is_an_object check (jsonb_typeof(detail) = 'object')
);
comment on table jobrunner.audit is 'Who did what to whom, and when, written in the transaction that did it. It names nobody but by number and has no value of a secret or an attribute; it outlives what it names. Kept for 400 days (forget_acts); nothing else changes or deletes a row. Read it by audit_trail.';
comment on column jobrunner.audit.id is 'Number of the row.';
comment on column jobrunner.audit.at is 'When its transaction began.';
comment on column jobrunner.audit.login is 'Who had logged in.';
comment on column jobrunner.audit.role is 'The role that the login had taken on by set role; null: none.';
comment on column jobrunner.audit.person is 'Who was signed in to the pages of `jobrunner serve`, as that login says; null: the act came another way.';
comment on column jobrunner.audit.verb is 'What was called, or which step of migrate it was.';
comment on column jobrunner.audit.tenant_id is 'Whose; null: it was of no one tenant.';
comment on column jobrunner.audit.user_id is 'Which user; null: it was of no one user.';
comment on column jobrunner.audit.object is 'Of what: name of a job, a secret, a source, a login, a file.';
comment on column jobrunner.audit.detail is 'What else there is to say, such as how many jobs.';
create index audit_by_time on jobrunner.audit (at, id);
comment on index jobrunner.audit_by_time is 'What was done lately, and what is to be forgotten.';
create index audit_of_a_tenant on jobrunner.audit (tenant_id, at, id);
comment on index jobrunner.audit_of_a_tenant is 'What was done to a tenant.';

create sequence jobrunner.change_numbers;
comment on sequence jobrunner.change_numbers is 'Drawn for a change by the reader who has the turn of its tenant and table.';

create table jobrunner.changes (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  table_name text not null,
  user_key text not null,
  key jsonb not null,
  at timestamptz not null default now(),
  number bigint
);
comment on table jobrunner.changes is 'Which rows of synced tables changed, where a job file asks for it, written in the transaction that changed them. Kept for a week, also when the user is gone. Read it by changes_since.';
comment on column jobrunner.changes.id is 'Drawn when the row changed, before that is committed: no reader goes by it.';
comment on column jobrunner.changes.tenant_id is 'The tenant of the row''s user.';
comment on column jobrunner.changes.table_name is 'The table in schema synced.';
comment on column jobrunner.changes.user_key is 'Key of the row''s user.';
comment on column jobrunner.changes.key is 'The row''s key columns.';
comment on column jobrunner.changes.at is 'When the transaction that changed it began.';
comment on column jobrunner.changes.number is 'Given by a reader after the commit, and what readers go by; null: no reader has come to it.';
create index changes_without_number on jobrunner.changes (tenant_id, table_name, id) where number is null;
comment on index jobrunner.changes_without_number is 'What the next reader gives numbers to.';
create index changes_by_number on jobrunner.changes (tenant_id, table_name, number) where number is not null;
comment on index jobrunner.changes_by_number is 'What a reader of all users reads.';
create index changes_of_a_user on jobrunner.changes (tenant_id, table_name, user_key, number);
comment on index jobrunner.changes_of_a_user is 'What a reader of one user reads, and gives numbers to.';

create table jobrunner.change_turns (
  tenant_id bigint not null,
  table_name text not null,
  last_number bigint not null default 0,
  primary key (tenant_id, table_name)
) with (fillfactor = 50);
comment on table jobrunner.change_turns is 'Who gives numbers to the changes of a tenant and table: a row''s lock is the turn.';
comment on column jobrunner.change_turns.tenant_id is 'The tenant.';
comment on column jobrunner.change_turns.table_name is 'The table in schema synced; empty: the events.';
comment on column jobrunner.change_turns.last_number is 'The greatest number that was given.';

create table jobrunner.change_floors (
  tenant_id bigint not null,
  table_name text not null,
  floor bigint not null,
  unread bigint not null,
  primary key (tenant_id, table_name)
);
comment on table jobrunner.change_floors is 'Up to where the changes of a tenant and table have become too old and are gone. Apart from the turns, so that no reader keeps old changes from going.';
comment on column jobrunner.change_floors.tenant_id is 'The tenant.';
comment on column jobrunner.change_floors.table_name is 'The table in schema synced; empty: the events.';
comment on column jobrunner.change_floors.floor is 'The greatest number that is gone: who has read less begins anew.';
comment on column jobrunner.change_floors.unread is 'Raised when changes went to which no reader had given a number: everybody begins anew.';

create table jobrunner.waiting_counts (
  reason text not null,
  tenant_id bigint not null default 0,
  jobs bigint not null,
  since timestamptz,
  may_be_more boolean not null,
  primary key (reason, tenant_id),
  constraint waiting_jobs_are_counted_for_a_known_reason check (
    reason in ('no_worker', 'job_file_missing', 'breaker', 'tenant_limit', 'budget', 'suspect', 'slots', 'deferred',
      'backoff', 'database', 'key', 'turn', 'paused', 'credential', 'quarantined')
  ),
  constraint only_what_waits_is_counted check (jobs > 0)
) with (fillfactor = 50);
comment on table jobrunner.waiting_counts is 'What does not run, by reason, as count_waiting last counted it. Read it by waiting_reasons.';
comment on column jobrunner.waiting_counts.reason is 'What is in the way.';
comment on column jobrunner.waiting_counts.tenant_id is 'The tenant, one of the ten that have most of it; 0: all tenants.';
comment on column jobrunner.waiting_counts.jobs is 'How many jobs wait.';
comment on column jobrunner.waiting_counts.since is 'Since when the one that waits longest does.';
comment on column jobrunner.waiting_counts.may_be_more is 'True: there were more than are looked at at once.';

create table jobrunner.trouble_counts (
  trouble text primary key,
  jobs bigint not null,
  may_be_more boolean not null,
  constraint only_what_is_in_trouble_is_counted check (jobs > 0)
) with (fillfactor = 50);
comment on table jobrunner.trouble_counts is 'Jobs that do not get on, as count_waiting last counted them. Read them one by one in jobs_in_trouble.';
comment on column jobrunner.trouble_counts.trouble is 'What view jobs_in_trouble calls it.';
comment on column jobrunner.trouble_counts.jobs is 'How many jobs; of a trouble of entities, how many of those.';
comment on column jobrunner.trouble_counts.may_be_more is 'True: there were more than are looked at at once.';

create table jobrunner.cause_counts (
  tenant_id bigint not null,
  source text not null,
  error_kind text not null,
  users bigint not null,
  may_be_more boolean not null,
  is_whole boolean not null,
  since timestamptz,
  job_name text not null,
  user_id bigint not null,
  primary key (tenant_id, source, error_kind),
  constraint only_a_cause_that_somebody_has_is_counted check (users > 0)
) with (fillfactor = 50);
comment on table jobrunner.cause_counts is 'What keeps users from being synced, as count_causes last counted it. Read it by causes.';
comment on column jobrunner.cause_counts.tenant_id is 'The tenant.';
comment on column jobrunner.cause_counts.source is 'The source.';
comment on column jobrunner.cause_counts.error_kind is 'What is wrong: one of cause_kinds.';
comment on column jobrunner.cause_counts.users is 'How many users have it.';
comment on column jobrunner.cause_counts.may_be_more is 'True: there were more than are looked at at once.';
comment on column jobrunner.cause_counts.is_whole is 'True: of the tenant''s users that ran a job of the source, none that was looked at is well.';
comment on column jobrunner.cause_counts.since is 'When it began for the one who has had it the longest.';
comment on column jobrunner.cause_counts.job_name is 'An example: the job of the one who has had it the longest.';
comment on column jobrunner.cause_counts.user_id is 'And the user.';

create table jobrunner.freshness_counts (
  job_name text not null,
  tenant_id bigint not null default 0,
  users bigint not null default 0,
  fresh bigint not null default 0,
  never bigint not null default 0,
  counted_at timestamptz,
  round_users bigint not null default 0,
  round_fresh bigint not null default 0,
  round_never bigint not null default 0,
  primary key (job_name, tenant_id),
  constraint fresh_users_are_counted_users check (fresh + never <= users and round_fresh + round_never <= round_users)
) with (fillfactor = 50);
comment on table jobrunner.freshness_counts is 'Of how many users each job''s data is fresh, as count_freshness last counted all of them.';
comment on column jobrunner.freshness_counts.job_name is 'The job.';
comment on column jobrunner.freshness_counts.tenant_id is 'The tenant, one of the ten in which most users are stale; 0: all tenants.';
comment on column jobrunner.freshness_counts.users is 'Users that have it.';
comment on column jobrunner.freshness_counts.fresh is 'Of those, complete within the last period.';
comment on column jobrunner.freshness_counts.never is 'Of those, never complete.';
comment on column jobrunner.freshness_counts.counted_at is 'When the round ended; null: the first one has not.';
comment on column jobrunner.freshness_counts.round_users is 'The same of the round that is under way.';
comment on column jobrunner.freshness_counts.round_fresh is 'The same of the round that is under way.';
comment on column jobrunner.freshness_counts.round_never is 'The same of the round that is under way.';

create table jobrunner.swept_counts (
  job_name text not null,
  hour timestamptz not null,
  rows bigint not null,
  primary key (job_name, hour)
) with (fillfactor = 50);
comment on table jobrunner.swept_counts is 'Rows that full passes have deleted since they lacked them, by hour, for eight days. Written by count_waiting, for view gauges.';
comment on column jobrunner.swept_counts.job_name is 'The job.';
comment on column jobrunner.swept_counts.hour is 'The hour in which the runs ended.';
comment on column jobrunner.swept_counts.rows is 'How many rows.';

create table jobrunner.history_counts (
  at timestamptz not null,
  measure text not null,
  subject text not null,
  detail text not null default '',
  value double precision not null,
  primary key (measure, at, subject, detail),
  constraint history_is_of_known_measures check (
    measure in ('runs', 'requests', 'request_seconds', 'fresh_percent', 'waiting')
  ),
  constraint history_is_kept_by_quarters_of_an_hour check (at = date_bin('15 minutes', at, '2000-01-01 00:00:00+00'))
) with (fillfactor = 70);
comment on table jobrunner.history_counts is 'What was, by quarters of an hour, for the curves of the pages: some hundred rows a quarter, kept for three days, about 10 MB. Written by workers and by count_waiting. Read it by history.';
comment on column jobrunner.history_counts.at is 'When the quarter began.';
comment on column jobrunner.history_counts.measure is 'runs, requests, request_seconds, fresh_percent or waiting: what view history says of it.';
comment on column jobrunner.history_counts.subject is 'A job, a source or a reason.';
comment on column jobrunner.history_counts.detail is 'An outcome, a class of answers, or a tenant.';
comment on column jobrunner.history_counts.value is 'The number.';

create table jobrunner.chores (
  name text primary key,
  done_at timestamptz,
  latest_at timestamptz,
  place bigint,
  place_key text,
  reached_at timestamptz
);
comment on table jobrunner.chores is 'Work that one worker at a time does now and then, and when it was last done. A row''s lock is the turn.';
comment on column jobrunner.chores.name is 'What is done.';
comment on column jobrunner.chores.done_at is 'When somebody last began it, where that matters; null: never, or it is done whenever it is due.';
comment on column jobrunner.chores.place is 'Behind which user the next part begins, by his tenant; null: at the first.';
comment on column jobrunner.chores.place_key is 'The same user''s key.';
comment on column jobrunner.chores.reached_at is 'Up to which time it has counted what has happened; null: never.';
comment on column jobrunner.chores.latest_at is 'The latest time at which it was ever done: after now() when the server''s clock was set back.';
-- The health is asked for at each worker's start: the first day has no need.
insert into jobrunner.chores (name, done_at) values ('maintain_runs', null), ('reconcile', null), ('health', now()),
  ('waiting', null),
  ('freshness', null), ('history', null);

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
  lane smallint,
  forced boolean,
  entity text,
  last_outcome text,
  last_success_at timestamptz,
  unchanged_at timestamptz,
  place tid
);
comment on type jobrunner.claimed_job is 'What a worker knows of a job that it has claimed.';
comment on column jobrunner.claimed_job.user_id is 'Whose data is synced.';
comment on column jobrunner.claimed_job.name is 'The job file.';
comment on column jobrunner.claimed_job.tenant_id is 'The user''s tenant.';
comment on column jobrunner.claimed_job.fence is 'Number of the run.';
comment on column jobrunner.claimed_job.nonce is 'Random half of the fence, drawn once a claim.';
comment on column jobrunner.claimed_job.scheduled_at is 'The due_at the run answers to.';
comment on column jobrunner.claimed_job.claimed_at is 'The database''s time at the claim.';
comment on column jobrunner.claimed_job.tick_at is 'The tick the run belongs to: the last one on the grid before the claim.';
comment on column jobrunner.claimed_job.deadline_ms is 'How long the run may take.';
comment on column jobrunner.claimed_job.lane is '1: a person or application asked for the run; 0: the clock did; -1: a first run of a user who was added with many.';
comment on column jobrunner.claimed_job.forced is 'The run ignores min_gap.';
comment on column jobrunner.claimed_job.entity is 'The run syncs this entity only.';
comment on column jobrunner.claimed_job.last_outcome is 'How the last run ended.';
comment on column jobrunner.claimed_job.last_success_at is 'When the last complete run ended.';
comment on column jobrunner.claimed_job.unchanged_at is 'When a run last read every entity to its end and found nothing to note.';
comment on column jobrunner.claimed_job.place is 'Where the row stands since the claim, while nobody changes it (finish_idle_runs).';

create type jobrunner.due_tenants as (
  looked_at timestamptz,
  looked_user_id bigint,
  is_cut boolean,
  tenant_ids bigint[],
  lanes smallint[],
  counts integer[],
  times timestamptz[],
  user_ids bigint[],
  weighted_ids bigint[],
  weights integer[],
  has_paused boolean
);
comment on type jobrunner.due_tenants is 'What a look has found: of whom something is due, from where on, and how far it has looked.';
comment on column jobrunner.due_tenants.looked_at is 'Up to where it has looked, with looked_user_id.';
comment on column jobrunner.due_tenants.looked_user_id is 'The user of the last entry, or the last tenant that was asked.';
comment on column jobrunner.due_tenants.is_cut is 'There is more to look at.';
comment on column jobrunner.due_tenants.tenant_ids is 'Of each lane that it found: its tenant.';
comment on column jobrunner.due_tenants.lanes is 'Of each: the priority.';
comment on column jobrunner.due_tenants.counts is 'Of each: how many jobs it has seen.';
comment on column jobrunner.due_tenants.times is 'Of each: claimable_at of the oldest.';
comment on column jobrunner.due_tenants.user_ids is 'Of each: the user of the oldest.';
comment on column jobrunner.due_tenants.weighted_ids is 'Tenants among them whose weight is not 1.';
comment on column jobrunner.due_tenants.weights is 'Their weights.';
comment on column jobrunner.due_tenants.has_paused is 'Something of a paused tenant is due as well.';

create type jobrunner.remaining_capacity as (
  tenant_id bigint,
  room integer,
  state text
);
comment on type jobrunner.remaining_capacity is 'How many more jobs of a tenant that is paused or has a limit may run now.';
comment on column jobrunner.remaining_capacity.tenant_id is 'The tenant.';
comment on column jobrunner.remaining_capacity.room is 'How many more.';
comment on column jobrunner.remaining_capacity.state is 'limited; or why no more: full (at its limit), busy (another claim has its turn), unsettled (its limit is new), paused.';
