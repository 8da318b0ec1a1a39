-- What a fresh `jobrunner migrate` makes, for reading; never applied.
-- JOBRUNNER_REFRESH_SNAPSHOT=1 swift test --filter SnapshotTests

create table jobrunner.announcements (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default now(),
  transaction xid8 not null default pg_current_xact_id(),
  since timestamp with time zone,
  tenant_id bigint,
  constraint announcements_pkey PRIMARY KEY (id)
);

create table jobrunner.applied_code (
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint applied_code_checksum_is_a_sha256 CHECK ((checksum ~ '^[0-9a-f]{64}$'::text)),
  constraint applied_code_pkey PRIMARY KEY (checksum)
);

create table jobrunner.armed_triggers (
  user_id bigint not null,
  job_name text not null,
  event text not null,
  armed_at timestamp with time zone not null default now(),
  constraint armed_triggers_pkey PRIMARY KEY (user_id, job_name, event)
);

create table jobrunner.call_memory (
  user_id bigint not null,
  job_name text not null,
  call text not null,
  last_succeeded_at timestamp with time zone not null,
  list_hash text,
  constraint call_memory_pkey PRIMARY KEY (user_id, job_name, call)
);

create table jobrunner.checkpoints (
  user_id bigint not null,
  job_name text not null,
  entity text not null,
  tenant_id bigint not null,
  generation bigint not null default 0,
  pass_kind text,
  pass_started_at timestamp with time zone,
  pass_since text,
  page_number integer not null default 0,
  cursor text,
  sync_token text,
  partial_watermark text,
  watermark text,
  last_synced_at timestamp with time zone,
  consecutive_failures integer not null default 0,
  last_error_kind text,
  last_error text,
  last_error_at timestamp with time zone,
  run_fence bigint not null default 0,
  counters jobrunner.counters not null default '(0,0,0,0,0,0,0,0,0,0,0,0,0,0)'::jobrunner.counter_values,
  pass_is_whole boolean not null default true,
  pass_proves_absence boolean not null default true,
  last_full_at timestamp with time zone,
  full_by_other_file boolean not null default false,
  validator text,
  probe text,
  pass_probe text,
  record_failures jsonb not null default '[]'::jsonb,
  pass_number integer not null default 0,
  full_asked integer not null default 0,
  full_begun integer not null default 0,
  full_ended integer not null default 0,
  repair_asked integer not null default 0,
  full_requested boolean not null generated always as ((full_asked > full_begun)) stored,
  repair_requested boolean not null generated always as ((repair_asked > full_ended)) stored,
  pass_unreadable boolean not null default false,
  asked bigint,
  full_page integer not null default 0,
  unread jsonb,
  has_shared_keys boolean not null default false,
  troubles jsonb,
  constraint checkpoint_error_is_at_most_1_kib CHECK ((octet_length(last_error) <= 1024)),
  constraint checkpoint_has_at_most_five_record_failures CHECK ((jsonb_array_length(record_failures) <= 5)),
  constraint checkpoints_pkey PRIMARY KEY (user_id, job_name, entity),
  constraint cursor_belongs_to_a_pass CHECK (((cursor IS NULL) OR (pass_kind IS NOT NULL))),
  constraint full_requests_are_asked_then_begun_then_ended CHECK (((full_ended <= full_begun) AND (full_begun <= full_asked))),
  constraint pass_in_progress_has_a_start CHECK (((pass_kind IS NULL) = (pass_started_at IS NULL))),
  constraint pass_is_full_or_incremental CHECK ((pass_kind = ANY (ARRAY['full'::text, 'incremental'::text]))),
  constraint repair_is_one_of_the_full_requests CHECK ((repair_asked <= full_asked)),
  constraint troubles_are_named_by_their_kind_or_null CHECK (((jsonb_typeof(troubles) = 'object'::text) AND (troubles <> '{}'::jsonb)))
) with (fillfactor=70);
CREATE INDEX checkpoints_in_trouble ON jobrunner.checkpoints USING btree (job_name, user_id) WHERE (troubles IS NOT NULL);
CREATE INDEX checkpoints_with_errors ON jobrunner.checkpoints USING btree (job_name, user_id) WHERE (last_error_kind IS NOT NULL);
CREATE INDEX checkpoints_with_unread_values ON jobrunner.checkpoints USING btree (job_name, entity) WHERE (unread IS NOT NULL);

create table jobrunner.chores (
  name text not null,
  done_at timestamp with time zone,
  latest_at timestamp with time zone,
  place bigint,
  place_key text,
  reached_at timestamp with time zone,
  constraint chores_pkey PRIMARY KEY (name)
);

create table jobrunner.claims (
  worker_id bigint not null,
  first_fence bigint not null,
  user_ids bigint[] not null,
  constraint claim_has_jobs CHECK (((cardinality(user_ids) >= 1) AND (cardinality(user_ids) <= 999))),
  constraint claims_pkey PRIMARY KEY (worker_id, first_fence)
);

create table jobrunner.events (
  transaction_id xid8 not null default pg_current_xact_id(),
  id bigint not null generated always as identity,
  at timestamp with time zone not null default now(),
  tenant_id bigint not null,
  user_id bigint not null,
  job_name text not null,
  entity text,
  run bigint,
  kind text not null,
  detail jsonb not null default '{}'::jsonb,
  constraint event_kind_is_known CHECK ((kind = ANY (ARRAY['sync_began'::text, 'pass_began'::text, 'pass_ended'::text, 'sync_ended'::text, 'duplicates_found'::text, 'conflict_decided'::text, 'zone_made'::text, 'trouble_began'::text, 'recovering'::text, 'trouble_ended'::text]))),
  constraint events_pkey PRIMARY KEY (transaction_id, id)
);
CREATE INDEX events_of_a_user ON jobrunner.events USING btree (user_id, transaction_id, id);

create table jobrunner.freshness_counts (
  job_name text not null,
  tenant_id bigint not null default 0,
  users bigint not null default 0,
  fresh bigint not null default 0,
  never bigint not null default 0,
  counted_at timestamp with time zone,
  round_users bigint not null default 0,
  round_fresh bigint not null default 0,
  round_never bigint not null default 0,
  constraint fresh_users_are_counted_users CHECK ((((fresh + never) <= users) AND ((round_fresh + round_never) <= round_users))),
  constraint freshness_counts_pkey PRIMARY KEY (job_name, tenant_id)
) with (fillfactor=50);

create table jobrunner.job_files (
  name text not null,
  kind text not null,
  source text not null,
  every interval not null,
  spread boolean,
  deadline interval not null,
  per_second double precision,
  expanded jsonb not null,
  loaded_at timestamp with time zone not null default now(),
  paused_at timestamp with time zone,
  scope text not null default 'user'::text,
  notifies boolean not null default false,
  soft interval,
  hard interval,
  triggers jsonb not null default '[]'::jsonb,
  slow_after interval,
  slow_every interval,
  unscheduled_after_user_id bigint,
  columns_changed jsonb not null default '{}'::jsonb,
  events text[] not null default '{}'::text[],
  version bigint not null default 0,
  constraint job_file_deadline_is_positive CHECK ((deadline > '00:00:00'::interval)),
  constraint job_file_freshness_has_both_ages CHECK (((soft IS NULL) = (hard IS NULL))),
  constraint job_file_period_is_positive CHECK ((every > '00:00:00'::interval)),
  constraint job_file_scope_is_user_or_tenant CHECK ((scope = ANY (ARRAY['user'::text, 'tenant'::text]))),
  constraint job_file_soft_age_is_the_smaller CHECK ((soft <= hard)),
  constraint job_files_pkey PRIMARY KEY (name),
  constraint slowing_has_a_time_and_a_longer_period CHECK ((((slow_after IS NULL) = (slow_every IS NULL)) AND (slow_after > '00:00:00'::interval) AND (slow_every > every)))
);
CREATE INDEX job_files_telling ON jobrunner.job_files USING btree (name) WHERE (events <> '{}'::text[]);

create table jobrunner.jobs (
  user_id bigint not null,
  tenant_id bigint not null,
  name text not null,
  every interval not null,
  phase interval,
  deadline interval not null,
  priority smallint not null default 0,
  paused_at timestamp with time zone,
  paused_with_user boolean not null default false,
  paused_with_file boolean not null default false,
  quarantined_at timestamp with time zone,
  quarantine_reason text,
  reauth_needed_at timestamp with time zone,
  deferred_until timestamp with time zone,
  untriggered_due_at timestamp with time zone,
  triggered_at timestamp with time zone,
  rerun_requested boolean not null default false,
  force_requested boolean not null default false,
  entity_requested text,
  cancel_requested_at timestamp with time zone,
  consecutive_failures integer not null default 0,
  crashes integer not null default 0,
  stalled_runs integer not null default 0,
  last_error_kind text,
  last_error text,
  last_error_at timestamp with time zone,
  last_outcome text,
  last_run_at timestamp with time zone,
  last_success_at timestamp with time zone,
  unchanged_at timestamp with time zone,
  due_at timestamp with time zone not null,
  state text not null generated always as (
CASE
    WHEN (worker_id IS NOT NULL) THEN 'running'::text
    WHEN (paused_at IS NOT NULL) THEN 'paused'::text
    WHEN (quarantined_at IS NOT NULL) THEN 'quarantined'::text
    WHEN (reauth_needed_at IS NOT NULL) THEN 'needs_reauth'::text
    ELSE 'waiting'::text
END) stored,
  fence bigint not null default 0,
  nonce uuid,
  worker_id bigint,
  started_at timestamp with time zone,
  deadline_at timestamp with time zone,
  next_due_at timestamp with time zone,
  rerun_forced boolean not null default false,
  rerun_entity text,
  deferrals integer not null default 0,
  fruitless_runs integer not null default 0,
  claimable_at timestamp with time zone not null generated always as (
CASE
    WHEN ((worker_id IS NULL) AND ((paused_at IS NOT NULL) OR (quarantined_at IS NOT NULL) OR (reauth_needed_at IS NOT NULL))) THEN 'infinity'::timestamp with time zone
    ELSE due_at
END) stored,
  slows_at timestamp with time zone,
  slowed_at timestamp with time zone,
  constraint cancel_is_requested_only_of_a_running_job CHECK (((cancel_requested_at IS NULL) OR (worker_id IS NOT NULL))),
  constraint job_counts_are_not_negative CHECK (((consecutive_failures >= 0) AND (crashes >= 0) AND (stalled_runs >= 0) AND (fruitless_runs >= 0))),
  constraint job_deferrals_are_not_negative CHECK ((deferrals >= 0)),
  constraint job_error_is_at_most_1_kib CHECK ((octet_length(last_error) <= 1024)),
  constraint job_outcome_is_known CHECK ((last_outcome = ANY (ARRAY['complete'::text, 'partial'::text, 'deferred'::text, 'skipped'::text, 'needs_reauth'::text, 'failed'::text]))),
  constraint job_period_and_deadline_are_within_bounds CHECK ((((every >= '00:00:01'::interval) AND (every <= '10 years'::interval)) AND ((deadline >= '00:00:00.001'::interval) AND (deadline <= '10 years'::interval)))),
  constraint job_phase_lies_within_its_period CHECK (((phase >= '00:00:00'::interval) AND (phase < every))),
  constraint job_priority_is_a_lane CHECK ((priority = ANY (ARRAY['-1'::integer, 0, 1]))),
  constraint job_that_is_paused_with_another_is_paused CHECK (((paused_at IS NOT NULL) OR ((NOT paused_with_user) AND (NOT paused_with_file)))),
  constraint job_that_is_to_slow_down_has_not_yet CHECK (((slows_at IS NULL) OR (slowed_at IS NULL))),
  constraint jobs_pkey PRIMARY KEY (user_id, name),
  constraint quarantined_job_has_a_reason CHECK (((quarantined_at IS NULL) = (quarantine_reason IS NULL))),
  constraint rerun_is_requested_only_of_a_running_job CHECK (((NOT rerun_requested) OR (worker_id IS NOT NULL))),
  constraint rerun_request_belongs_to_a_rerun CHECK ((rerun_requested OR ((NOT rerun_forced) AND (rerun_entity IS NULL)))),
  constraint running_job_has_fence_nonce_and_times CHECK ((((worker_id IS NULL) AND (started_at IS NULL) AND (deadline_at IS NULL) AND (next_due_at IS NULL)) OR ((worker_id IS NOT NULL) AND (fence > 0) AND (nonce IS NOT NULL) AND (started_at IS NOT NULL) AND (deadline_at IS NOT NULL) AND (next_due_at IS NOT NULL)))),
  constraint running_job_has_the_due_at_it_answers_to CHECK (((worker_id IS NULL) OR (due_at <= started_at)))
) with (fillfactor=70);
CREATE INDEX jobs_deferred ON jobrunner.jobs USING btree (deferred_until) WHERE (deferred_until IS NOT NULL);
CREATE INDEX jobs_due ON jobrunner.jobs USING btree (claimable_at, user_id);
CREATE INDEX jobs_of_tenant ON jobrunner.jobs USING btree (tenant_id, priority, claimable_at, user_id);
CREATE INDEX jobs_quarantined ON jobrunner.jobs USING btree (due_at) WHERE (quarantined_at IS NOT NULL);
CREATE INDEX jobs_slowing ON jobrunner.jobs USING btree (slows_at) WHERE (slows_at IS NOT NULL);
CREATE INDEX jobs_stopping ON jobrunner.jobs USING btree (cancel_requested_at) WHERE (cancel_requested_at IS NOT NULL);
CREATE INDEX jobs_suspect ON jobrunner.jobs USING btree (claimable_at) WHERE (crashes >= 2);
CREATE INDEX jobs_troubled ON jobrunner.jobs USING btree ((((consecutive_failures > 0) AND (quarantined_at IS NULL) AND (reauth_needed_at IS NULL))), user_id, name) WHERE ((consecutive_failures > 0) OR (quarantined_at IS NOT NULL) OR (reauth_needed_at IS NOT NULL) OR (stalled_runs > 1) OR (deferrals > 4) OR (fruitless_runs > 1));

create table jobrunner.limited_runs (
  tenant_id bigint not null,
  user_id bigint not null,
  name text not null,
  fence bigint not null,
  constraint limited_runs_pkey PRIMARY KEY (tenant_id, user_id, name, fence),
  constraint limited_runs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES jobrunner.tenants(id) ON DELETE CASCADE
);

create table jobrunner.limited_tenants (
  tenant_id bigint not null,
  since timestamp with time zone not null default now(),
  is_settled boolean not null default false,
  constraint limited_tenants_pkey PRIMARY KEY (tenant_id),
  constraint limited_tenants_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES jobrunner.tenants(id) ON DELETE CASCADE
);
CREATE INDEX limited_tenants_unsettled ON jobrunner.limited_tenants USING btree (tenant_id) WHERE (NOT is_settled);

create table jobrunner.migrations (
  number integer not null,
  name text not null,
  checksum text not null,
  breaking boolean not null,
  applied_at timestamp with time zone not null default now(),
  constraint migration_checksum_is_a_sha256 CHECK ((checksum ~ '^[0-9a-f]{64}$'::text)),
  constraint migration_name_is_unique UNIQUE (name),
  constraint migration_number_is_not_negative CHECK ((number >= 0)),
  constraint migrations_pkey PRIMARY KEY (number)
);

create table jobrunner.periods (
  user_id bigint not null default 0,
  tenant_id bigint not null,
  job_name text not null,
  every interval not null,
  set_at timestamp with time zone not null default now(),
  constraint period_is_a_second_to_a_year CHECK (((every >= '00:00:01'::interval) AND (every <= '366 days'::interval))),
  constraint periods_job_name_fkey FOREIGN KEY (job_name) REFERENCES jobrunner.job_files(name),
  constraint periods_pkey PRIMARY KEY (user_id, tenant_id, job_name),
  constraint periods_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES jobrunner.tenants(id) ON DELETE CASCADE
);

create table jobrunner.raised_counts (
  user_id bigint not null,
  tenant_id bigint not null,
  source text not null,
  field text not null,
  record text not null,
  tag text,
  number bigint,
  noted_at timestamp with time zone not null default now(),
  arrived_at timestamp with time zone,
  constraint number_that_is_on_its_way_has_a_tag CHECK (((arrived_at IS NOT NULL) OR ((tag IS NOT NULL) AND (number IS NOT NULL)))),
  constraint raised_counts_pkey PRIMARY KEY (user_id, source, field, record)
);
CREATE INDEX raised_counts_of_a_record ON jobrunner.raised_counts USING btree (tenant_id, source, field, record, tag);

create table jobrunner.renewals (
  tenant_id bigint not null,
  user_id bigint not null default 0,
  credential text not null,
  lease uuid,
  leased_until timestamp with time zone,
  job_user_id bigint,
  job_name text,
  fence bigint,
  access_token bytea,
  good_until timestamp with time zone,
  constraint access_token_has_an_end CHECK (((access_token IS NULL) = (good_until IS NULL))),
  constraint lease_belongs_to_a_whole_run CHECK ((num_nulls(job_user_id, job_name, fence) = ANY (ARRAY[0, 3]))),
  constraint lease_has_an_end CHECK (((lease IS NULL) = (leased_until IS NULL))),
  constraint renewals_pkey PRIMARY KEY (user_id, tenant_id, credential),
  constraint renewals_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES jobrunner.tenants(id)
);

create table jobrunner.runs (
  user_id bigint not null,
  id bigint not null,
  outcome text not null,
  tenant_id bigint not null,
  job_name text not null,
  worker_id integer,
  scheduled_at timestamp with time zone not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null default now(),
  error_kind text,
  error text,
  request_count integer not null default 0,
  counters jobrunner.counters not null default '(0,0,0,0,0,0,0,0,0,0,0,0,0,0)'::jobrunner.counter_values,
  entities jsonb not null default '{}'::jsonb,
  constraint failed_run_has_an_error CHECK (((outcome <> 'failed'::text) OR (error_kind IS NOT NULL))),
  constraint run_error_is_at_most_1_kib CHECK ((octet_length(error) <= 1024)),
  constraint run_outcome_is_known CHECK ((outcome = ANY (ARRAY['complete'::text, 'partial'::text, 'deferred'::text, 'skipped'::text, 'needs_reauth'::text, 'failed'::text]))),
  constraint runs_pkey PRIMARY KEY (user_id, id, ended_at)
) partition by RANGE (ended_at);
CREATE INDEX runs_by_end ON ONLY jobrunner.runs USING brin (ended_at);
CREATE INDEX runs_of_a_job ON ONLY jobrunner.runs USING btree (user_id, job_name, ended_at);
CREATE INDEX runs_of_a_tenant ON ONLY jobrunner.runs USING btree (tenant_id, ended_at);

create table jobrunner.secrets (
  tenant_id bigint not null,
  user_id bigint not null default 0,
  name text not null,
  sealed bytea not null,
  updated_at timestamp with time zone not null default now(),
  current_since timestamp with time zone not null default now(),
  version bigint not null default nextval('jobrunner.secret_versions'::regclass),
  constraint secret_name_is_a_word CHECK ((name ~ '^[a-z_][a-z0-9_]{0,62}$'::text)),
  constraint secrets_pkey PRIMARY KEY (user_id, tenant_id, name),
  constraint secrets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES jobrunner.tenants(id)
);

create table jobrunner.seen_pages (
  user_id bigint not null,
  job_name text not null,
  entity text not null,
  pass_number integer not null,
  page_number integer not null,
  keys bigint[] not null,
  constraint seen_pages_pkey PRIMARY KEY (user_id, job_name, entity, pass_number, page_number)
);

create table jobrunner.slot_use (
  worker_id integer not null,
  noted_at timestamp with time zone not null default now(),
  tenant_ids bigint[] not null,
  slot_ms bigint[] not null,
  other_ms bigint not null,
  constraint slot_use_is_not_negative CHECK ((other_ms >= 0)),
  constraint slot_use_is_told_in_pairs CHECK ((cardinality(tenant_ids) = cardinality(slot_ms))),
  constraint slot_use_pkey PRIMARY KEY (worker_id),
  constraint slot_use_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES jobrunner.workers(id) ON DELETE CASCADE
) with (fillfactor=50);

create table jobrunner.sources (
  tenant_id bigint not null,
  name text not null,
  base text,
  tokens double precision not null default 0,
  refilled_at timestamp with time zone not null default now(),
  consecutive_failures integer not null default 0,
  opened_at timestamp with time zone,
  failed_openings integer not null default 0,
  blocked_until timestamp with time zone,
  block_reason text,
  constraint blocked_source_has_a_reason CHECK (((blocked_until IS NULL) = (block_reason IS NULL))),
  constraint blocked_source_has_been_opened CHECK (((blocked_until IS NULL) = (opened_at IS NULL))),
  constraint open_breaker_has_counted_its_openings CHECK (((opened_at IS NULL) = (failed_openings = 0))),
  constraint source_base_is_a_web_address CHECK ((base ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*[^/?#[:space:]])?$'::text)),
  constraint sources_pkey PRIMARY KEY (tenant_id, name),
  constraint sources_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES jobrunner.tenants(id)
);
CREATE INDEX sources_troubled ON jobrunner.sources USING btree (tenant_id, name) WHERE ((consecutive_failures > 0) OR (blocked_until IS NOT NULL));

create table jobrunner.swept_counts (
  job_name text not null,
  hour timestamp with time zone not null,
  rows bigint not null,
  constraint swept_counts_pkey PRIMARY KEY (job_name, hour)
) with (fillfactor=50);

create table jobrunner.synced_tables (
  name text not null,
  kind text not null,
  created_at timestamp with time zone not null default now(),
  store text not null default 'synced'::text,
  writable jsonb,
  constraint synced_table_holds_records_or_a_list CHECK ((kind = ANY (ARRAY['entity'::text, 'list'::text]))),
  constraint synced_table_store_is_synced_or_disposable CHECK ((store = ANY (ARRAY['synced'::text, 'disposable'::text]))),
  constraint synced_tables_pkey PRIMARY KEY (name)
);

create table jobrunner.tenant_jobs (
  tenant_id bigint not null,
  job_name text not null,
  created_at timestamp with time zone not null default now(),
  constraint tenant_jobs_job_name_fkey FOREIGN KEY (job_name) REFERENCES jobrunner.job_files(name),
  constraint tenant_jobs_pkey PRIMARY KEY (tenant_id, job_name),
  constraint tenant_jobs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES jobrunner.tenants(id)
);

create table jobrunner.tenants (
  id bigint not null generated always as identity,
  name text not null,
  weight integer not null default 1,
  max_running integer,
  paused_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint tenant_max_running_is_positive CHECK ((max_running > 0)),
  constraint tenant_name_is_a_word CHECK ((name ~ '^[a-z0-9][a-z0-9_.-]{0,62}$'::text)),
  constraint tenant_name_is_unique UNIQUE (name),
  constraint tenant_weight_is_from_1_to_1000 CHECK (((weight >= 1) AND (weight <= 1000))),
  constraint tenants_pkey PRIMARY KEY (id)
);
CREATE INDEX tenants_apart ON jobrunner.tenants USING btree (id) WHERE ((paused_at IS NOT NULL) OR (max_running IS NOT NULL) OR (weight <> 1));

create table jobrunner.trouble_counts (
  trouble text not null,
  jobs bigint not null,
  may_be_more boolean not null,
  constraint only_what_is_in_trouble_is_counted CHECK ((jobs > 0)),
  constraint trouble_counts_pkey PRIMARY KEY (trouble)
) with (fillfactor=50);

create table jobrunner.users (
  id bigint not null generated always as identity,
  tenant_id bigint not null,
  key text not null,
  attributes jsonb not null default '{}'::jsonb,
  made jsonb not null default '{}'::jsonb,
  paused_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  stands_for_tenant boolean not null default false,
  constraint user_attributes_are_an_object CHECK ((jsonb_typeof(attributes) = 'object'::text)),
  constraint user_key_is_1_to_255_printable_characters CHECK ((key ~ '^[^[:cntrl:]]{1,255}$'::text)),
  constraint user_key_is_unique_in_its_tenant UNIQUE (tenant_id, key),
  constraint user_that_stands_for_its_tenant_has_the_key_star CHECK ((stands_for_tenant = (key = '*'::text))),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES jobrunner.tenants(id)
);

create table jobrunner.waiting_counts (
  reason text not null,
  tenant_id bigint not null default 0,
  jobs bigint not null,
  since timestamp with time zone,
  may_be_more boolean not null,
  constraint only_what_waits_is_counted CHECK ((jobs > 0)),
  constraint waiting_counts_pkey PRIMARY KEY (reason, tenant_id),
  constraint waiting_jobs_are_counted_for_a_known_reason CHECK ((reason = ANY (ARRAY['no_worker'::text, 'job_file_missing'::text, 'breaker'::text, 'tenant_limit'::text, 'budget'::text, 'suspect'::text, 'slots'::text, 'deferred'::text, 'backoff'::text, 'database'::text, 'paused'::text, 'credential'::text, 'quarantined'::text])))
) with (fillfactor=50);

create table jobrunner.workers (
  id integer not null generated always as identity,
  host text not null,
  pid integer not null,
  version text not null,
  capacity integer not null,
  running_count integer not null default 0,
  started_at timestamp with time zone not null default now(),
  heartbeat_at timestamp with time zone not null default now(),
  session_gone_at timestamp with time zone,
  draining_at timestamp with time zone,
  ended_at timestamp with time zone,
  end_reason text,
  cleared_at timestamp with time zone,
  session_pid integer,
  session_started_at timestamp with time zone,
  job_names text[],
  job_versions bigint[],
  constraint ended_worker_has_a_reason CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
  constraint only_an_ended_worker_is_cleared CHECK (((cleared_at IS NULL) OR (ended_at IS NOT NULL))),
  constraint worker_capacity_is_positive CHECK ((capacity > 0)),
  constraint workers_pkey PRIMARY KEY (id)
) with (fillfactor=50);
CREATE INDEX workers_to_clear ON jobrunner.workers USING btree (id) WHERE ((ended_at IS NOT NULL) AND (cleared_at IS NULL));

create sequence jobrunner.fences;
create sequence jobrunner.secret_versions;
-- function jobrunner.abandon_pass(in_user_id bigint, in_name text, in_entity text, in_sync_token text) returns boolean
-- function jobrunner.activate_limits() returns integer
-- function jobrunner.add_counters(in_some jobrunner.counters, in_more jobrunner.counters) returns jobrunner.counters
-- function jobrunner.add_secrets(in_tenant_id bigint, in_user_ids bigint[], in_names text[], in_sealed bytea[], OUT added integer, OUT woken integer) returns record
-- function jobrunner.add_tenant(in_name text, in_weight integer DEFAULT 1, in_max_running integer DEFAULT NULL::integer) returns bigint
-- function jobrunner.add_user(in_tenant text, in_key text, in_attributes jsonb DEFAULT '{}'::jsonb) returns bigint
-- function jobrunner.add_users(in_tenant text, in_keys text[], in_attributes jsonb[] DEFAULT NULL::jsonb[], in_within interval DEFAULT '00:00:00'::interval) returns integer
-- function jobrunner.after_run(in_job jobrunner.jobs, in_end jobrunner.run_end, in_has_progress boolean, in_has_changes boolean) returns TABLE(due_at timestamp with time zone, deferred_until timestamp with time zone, priority smallint, force_requested boolean, entity_requested text, reauth_needed_at timestamp with time zone, quarantined_at timestamp with time zone, quarantine_reason text, consecutive_failures integer, crashes integer, stalled_runs integer, deferrals integer, fruitless_runs integer, last_outcome text, last_error_kind text, last_error text, last_error_at timestamp with time zone, last_run_at timestamp with time zone, last_success_at timestamp with time zone, unchanged_at timestamp with time zone)
-- function jobrunner.after_secrets(in_tenant_id bigint, in_user_ids bigint[], in_is_tenants boolean, in_job text DEFAULT NULL::text) returns integer
-- function jobrunner.age_of_job(in_user_id bigint, in_job text) returns interval
-- function jobrunner.awaits_secret(in_job jobrunner.jobs) returns boolean
-- function jobrunner.backoff(in_failures integer, in_every interval, in_chance double precision) returns interval
-- function jobrunner.begin_health_checks() returns boolean
-- function jobrunner.begin_page_anew() returns void
-- function jobrunner.bring_secret(in_tenant_id bigint, in_user_id bigint, in_job text, in_name text, in_sealed bytea, in_changed_at timestamp with time zone) returns boolean
-- function jobrunner.cancel_jobs(in_tenant text, in_user text DEFAULT NULL::text, in_job text DEFAULT NULL::text) returns integer
-- function jobrunner.changed_columns(in_before jsonb, in_after jsonb) returns jsonb
-- function jobrunner.changed_rows(in_counters jobrunner.counters) returns bigint
-- function jobrunner.check_list(in_table text, in_column text) returns void
-- function jobrunner.check_sealed(in_name text, in_sealed bytea) returns void
-- function jobrunner.claim_new(in_worker_id integer, in_limit integer, in_names text[], in_since timestamp with time zone, in_since_user_id bigint, OUT due jobrunner.due_tenants, OUT jobs jobrunner.claimed_job[]) returns record
-- function jobrunner.claim_of_tenants(in_worker_id integer, in_limit integer, in_names text[], in_tenant_ids bigint[], in_shares integer[], in_new_shares integer[], in_times timestamp with time zone[], in_user_ids bigint[], OUT restricted jobrunner.remaining_capacity[], OUT jobs jobrunner.claimed_job[]) returns record
-- function jobrunner.claim_suspect(in_worker_id integer, in_names text[]) returns jobrunner.claimed_job[]
-- function jobrunner.close_breaker(in_tenant text, in_source text) returns integer
-- function jobrunner.commit_page(in_user_id bigint, in_name text, in_entity text, in_fence bigint, in_position jsonb, in_page_count integer, in_is_end boolean, in_counters jobrunner.counters) returns boolean
-- function jobrunner.count_freshness(in_most integer DEFAULT 5000) returns boolean
-- function jobrunner.count_swept() returns void
-- function jobrunner.count_troubles(in_most integer) returns void
-- function jobrunner.count_waiting(in_most integer DEFAULT 10000, in_anew boolean DEFAULT false) returns boolean
-- function jobrunner.counted_on(in_checkpoint jobrunner.checkpoints, in_fence bigint, in_more jobrunner.counters) returns jobrunner.counters
-- function jobrunner.crash_runs(in_worker_id bigint, in_user_ids bigint[], in_names text[], in_reason text) returns TABLE(job_count integer, quarantined_count integer)
-- function jobrunner.deferral(in_asked interval, in_deferrals integer, in_chance double precision) returns interval
-- function jobrunner.delete_confirmed(in_user_id bigint, in_name text, in_entity text, in_fence bigint, in_table text, in_key text[], in_hashes bigint[]) returns bigint
-- function jobrunner.delete_older(in_user_id bigint, in_name text, in_entity text, in_fence bigint, in_table text, in_column text, in_before timestamp with time zone) returns bigint
-- function jobrunner.delete_record(in_tenant text, in_user text, in_table text, in_key jsonb) returns boolean
-- function jobrunner.deregister_worker(in_worker_id integer) returns boolean
-- function jobrunner.describe_counters(in_view regclass) returns void
-- function jobrunner.duplicates(in_table text, in_by text[], in_tenant text DEFAULT NULL::text) returns TABLE(tenant text, user_id bigint, user_key text, value jsonb, row_count bigint)
-- function jobrunner.edit_list(in_tenant text, in_user text, in_table text, in_column text, in_add text[] DEFAULT '{}'::text[], in_remove text[] DEFAULT '{}'::text[]) returns TABLE(added integer, removed integer)
-- function jobrunner.edit_record(in_tenant text, in_user text, in_table text, in_values jsonb) returns jsonb
-- function jobrunner.end_claims(in_ends jobrunner.run_end[], in_is_locked boolean) returns TABLE(user_id bigint, name text, fence bigint, is_set_aside boolean)
-- function jobrunner.end_of(in_job jobrunner.jobs, in_outcome text, in_error_kind text, in_error text, in_crashes_allowed integer DEFAULT NULL::integer) returns jobrunner.run_end
-- function jobrunner.end_renewal(in_tenant_id bigint, in_user_id bigint, in_credential text, in_lease uuid, in_access_token bytea, in_good_ms bigint) returns boolean
-- function jobrunner.endless_at(in_user_id bigint, in_job text, in_last_success_at timestamp with time zone) returns timestamp with time zone
-- function jobrunner.endless_runs(in_ends jobrunner.run_end[]) returns TABLE(user_id bigint, name text, fence bigint)
-- function jobrunner.enqueue(in_tenant text, in_user text, in_job text, in_full boolean DEFAULT false, in_entity text DEFAULT NULL::text, in_force boolean DEFAULT false) returns text
-- function jobrunner.enqueue_all(in_tenant text, in_job text, in_full boolean DEFAULT false, in_entity text DEFAULT NULL::text, in_force boolean DEFAULT false) returns integer
-- function jobrunner.enqueue_job(in_job jobrunner.jobs, in_full boolean, in_entity text, in_force boolean) returns text
-- function jobrunner.explain_job(in_tenant text, in_user text, in_job text) returns text
-- function jobrunner.finish_idle_runs(in_ends jobrunner.run_end[]) returns bigint[]
-- function jobrunner.finish_runs(in_ends jobrunner.run_end[]) returns TABLE(user_id bigint, name text, fence bigint, verdict text)
-- function jobrunner.forget_checkpoints(in_user_id bigint, in_name text, in_entities text[]) returns integer
-- function jobrunner.forget_ended_claims(in_worker_id bigint) returns integer
-- function jobrunner.forget_entity(in_job text, in_entity text) returns integer
-- function jobrunner.give_job(in_tenant text, in_job text, in_within interval DEFAULT NULL::interval) returns integer
-- function jobrunner.grant_reader() returns text[]
-- function jobrunner.has_other_file(in_user_id bigint, in_name text) returns boolean
-- function jobrunner.has_session(in_worker jobrunner.workers) returns boolean
-- function jobrunner.has_work(in_names text[]) returns boolean
-- function jobrunner.heartbeat_worker(in_worker_id integer, in_running integer, in_draining boolean, in_lease interval) returns TABLE(alive boolean, worker_count integer, worker_rank integer, beaten_at timestamp with time zone)
-- function jobrunner.held_jobs() returns SETOF jobrunner.jobs
-- function jobrunner.hold_job(in_user_id bigint, in_name text, in_fence bigint, in_nonce uuid) returns boolean
-- function jobrunner.hold_secrets(in_tenant_id bigint, in_user_id bigint, in_job text) returns void
-- function jobrunner.hold_worker(in_worker_id integer) returns void
-- function jobrunner.insert_jobs(in_user_ids bigint[], in_names text[] DEFAULT NULL::text[], in_within interval DEFAULT '00:00:00'::interval, in_priority smallint DEFAULT 0) returns integer
-- function jobrunner.insert_record(in_user_id bigint, in_table text, in_values jsonb) returns jsonb
-- function jobrunner.is_fruitless(in_user_id bigint, in_job text, in_runs integer, in_at timestamp with time zone) returns boolean
-- function jobrunner.job_named(in_tenant text, in_user text, in_job text) returns jobrunner.jobs
-- function jobrunner.jobs_named(in_tenant text, in_user text, in_job text) returns SETOF jobrunner.jobs
-- function jobrunner.judge_edits(in_user_id bigint, in_name text, in_entity text, in_table text) returns void
-- function jobrunner.keep_edit() returns trigger
-- function jobrunner.keep_limited_tenants() returns trigger
-- function jobrunner.keeps_edits(in_outcome text, in_kind text) returns boolean
-- function jobrunner.key_hash(VARIADIC in_key text[]) returns bigint
-- function jobrunner.lacking_rows(in_user_id bigint, in_name text, in_entity text, in_table text, in_key text[], in_most integer) returns TABLE(hash bigint, key text[], is_shown boolean)
-- function jobrunner.last_tick(in_next timestamp with time zone, in_every interval, in_phase interval) returns timestamp with time zone
-- function jobrunner.lease_credential(in_tenant_id bigint, in_user_id bigint, in_credential text, in_refused bytea, in_ms bigint, in_job_user_id bigint, in_job_name text, in_fence bigint) returns TABLE(lease uuid, access_token bytea, good_for_ms bigint, secrets text)
-- function jobrunner.lift_quarantines() returns integer
-- function jobrunner.list_items(in_user_id bigint, in_table text, in_column text) returns TABLE(items text[], hash text)
-- function jobrunner.live_filter(in_known jsonb) returns text
-- function jobrunner.lock_ends(in_ends jobrunner.run_end[]) returns jobrunner.run_end[]
-- function jobrunner.longest_input(in_user_id bigint, in_name text, in_secrets text[] DEFAULT NULL::text[]) returns text
-- function jobrunner.look_again(in_file jobrunner.job_files) returns integer
-- function jobrunner.look_at_tenants(in_names text[], in_after bigint, in_count integer) returns jobrunner.due_tenants
-- function jobrunner.look_due(in_names text[], in_since timestamp with time zone, in_since_user_id bigint, in_until timestamp with time zone) returns jobrunner.due_tenants
-- function jobrunner.look_for_survivors(in_user_id bigint, in_name text, in_entity text) returns boolean
-- function jobrunner.lose_edits(in_user_id bigint, in_name text, in_fence bigint, in_entity text, in_records text[]) returns bigint
-- function jobrunner.maintain_runs(in_keep interval DEFAULT '30 days'::interval) returns TABLE(created integer, dropped integer, postponed boolean)
-- function jobrunner.make_attribute(in_user_id bigint, in_name text) returns jsonb
-- function jobrunner.make_counters(pages bigint DEFAULT 0, fetched bigint DEFAULT 0, inserted bigint DEFAULT 0, updated bigint DEFAULT 0, unchanged bigint DEFAULT 0, skipped_older bigint DEFAULT 0, skipped_incompatible bigint DEFAULT 0, filtered bigint DEFAULT 0, duplicate bigint DEFAULT 0, deleted bigint DEFAULT 0, swept bigint DEFAULT 0, pushed bigint DEFAULT 0, push_failed bigint DEFAULT 0, edits_lost bigint DEFAULT 0) returns jobrunner.counters
-- function jobrunner.make_jobs(in_tenant_id bigint, in_job text, in_within interval DEFAULT NULL::interval) returns integer
-- function jobrunner.make_lacking_jobs() returns integer
-- function jobrunner.mark_counts_raised(in_user_id bigint, in_source text, in_field text, in_records text[]) returns void
-- function jobrunner.mark_items_sent(in_user_id bigint, in_table text, in_column text, in_items text[]) returns integer
-- function jobrunner.mark_seen(in_user_id bigint, in_name text, in_entity text, in_pass_number integer, in_page_number integer, in_keys bigint[]) returns boolean
-- function jobrunner.mend_restored() returns bigint
-- function jobrunner.mend_sequences() returns TABLE(name text, stood_at bigint, stands_at bigint)
-- function jobrunner.merge_duplicates(in_user_id bigint, in_table text, in_values text[] DEFAULT NULL::text[]) returns integer
-- function jobrunner.merge_filter(in_table text, in_by jsonb, in_filters boolean) returns text
-- function jobrunner.merge_writes(in_table text, in_known jsonb, in_sets text, in_hides boolean, in_sends boolean) returns text
-- function jobrunner.news_for_workers(in_seen pg_snapshot, OUT seen pg_snapshot, OUT since timestamp with time zone, OUT tenant_id bigint, OUT weight integer) returns SETOF record
-- function jobrunner.next_tick(in_after timestamp with time zone, in_every interval, in_phase interval) returns timestamp with time zone
-- function jobrunner.note_shared_keys(in_user_id bigint, in_name text, in_entity text) returns boolean
-- function jobrunner.notify(in_channel text, in_payload text, in_fullest double precision) returns boolean
-- function jobrunner.notify_changes(in_user_ids bigint[], in_names text[], in_runs bigint[], in_counters jobrunner.counters[]) returns integer
-- function jobrunner.other_files(in_worker jobrunner.workers) returns text[]
-- function jobrunner.own_session(OUT pid integer, OUT started_at timestamp with time zone) returns record
-- function jobrunner.own_writes(in_setting text) returns text
-- function jobrunner.pause_job_file(in_job text) returns integer
-- function jobrunner.pause_jobs(in_tenant text, in_user text DEFAULT NULL::text, in_job text DEFAULT NULL::text) returns integer
-- function jobrunner.period_of(in_user_id bigint, in_tenant_id bigint, in_job text) returns TABLE(every interval)
-- function jobrunner.phase_of(in_user_id bigint, in_name text, in_every interval, in_spread boolean) returns interval
-- function jobrunner.postpone_slowing(in_job jobrunner.jobs) returns void
-- function jobrunner.preload_runs(in_user_ids bigint[], in_lists jsonb, in_tables text[], in_sources jsonb, in_dirty text[] DEFAULT '{}'::text[]) returns jsonb
-- function jobrunner.push_soon(in_user_id bigint, in_table text) returns boolean
-- function jobrunner.quarantine_of(in_job jobrunner.jobs, in_end jobrunner.run_end, in_has_progress boolean) returns TABLE(reason text, span interval)
-- function jobrunner.raise_counts(in_user_id bigint, in_source text, in_field text, in_records text[], in_seen bigint[], in_tags text[], in_refused text[]) returns TABLE(record text, number bigint, is_there boolean, is_first boolean)
-- function jobrunner.read_job(in_tenant text, in_user text, in_job text) returns SETOF jobrunner.claimed_job
-- function jobrunner.reap_jobs(in_lease interval) returns TABLE(worker_id integer, reason text, job_count integer, quarantined_count integer)
-- function jobrunner.reap_worker(in_worker_id integer, in_reason text) returns TABLE(job_count integer, quarantined_count integer)
-- function jobrunner.reattach_worker(in_worker_id integer) returns boolean
-- function jobrunner.reconcile_jobs() returns integer
-- function jobrunner.record_call(in_user_id bigint, in_name text, in_call text, in_list_hash text) returns void
-- function jobrunner.record_like(in_user_id bigint, in_table text, in_known jsonb, in_by jsonb, in_values jsonb) returns jsonb
-- function jobrunner.record_where(in_columns jsonb) returns text
-- function jobrunner.refuse_lost_edit(in_table text, in_known jsonb) returns void
-- function jobrunner.refuse_unstamped(in_table text, in_column text, in_version text) returns void
-- function jobrunner.register_worker(in_host text, in_pid integer, in_version text, in_capacity integer, in_job_names text[] DEFAULT NULL::text[], in_job_files text[] DEFAULT NULL::text[]) returns integer
-- function jobrunner.release_jobs(in_user_ids bigint[], in_names text[], in_fences bigint[], in_nonces uuid[]) returns integer
-- function jobrunner.release_orphans(in_user_ids bigint[], in_names text[], in_fences bigint[], in_nonces uuid[]) returns integer
-- function jobrunner.remaining_capacity(in_tenant_ids bigint[]) returns SETOF jobrunner.remaining_capacity
-- function jobrunner.remove_tenant(in_name text) returns integer
-- function jobrunner.remove_user(in_tenant text, in_key text) returns void
-- function jobrunner.remove_users(in_user_ids bigint[]) returns void
-- function jobrunner.repair_due_times() returns integer
-- function jobrunner.repair_jobs(in_tenant text, in_user text DEFAULT NULL::text, in_job text DEFAULT NULL::text) returns integer
-- function jobrunner.replace_list(in_tenant text, in_user text, in_table text, in_column text, in_items text[]) returns TABLE(added integer, removed integer)
-- function jobrunner.report_sources(in_tenant_ids bigint[], in_names text[], in_started_at timestamp with time zone[], in_reached boolean[], in_unavailable boolean[]) returns void
-- function jobrunner.request_full(in_job jobrunner.jobs, in_entities text[], in_repair boolean) returns void
-- function jobrunner.request_full_after_removal() returns trigger
-- function jobrunner.reset_jobs(in_tenant text, in_user text DEFAULT NULL::text, in_job text DEFAULT NULL::text, in_entity text DEFAULT NULL::text) returns integer
-- function jobrunner.restricted_tenants(in_tenant_ids bigint[]) returns SETOF jobrunner.tenants
-- function jobrunner.resume_job_file(in_job text) returns integer
-- function jobrunner.resume_jobs(in_tenant text, in_user text DEFAULT NULL::text, in_job text DEFAULT NULL::text) returns integer
-- function jobrunner.retry_jobs(in_tenant text, in_user text DEFAULT NULL::text, in_job text DEFAULT NULL::text) returns integer
-- function jobrunner.rotate_secret(in_tenant_id bigint, in_user_id bigint, in_name text, in_old bytea, in_new bytea) returns boolean
-- function jobrunner.run_inputs(in_user_ids bigint[], in_names text[], in_reads integer[], in_secrets text[] DEFAULT NULL::text[]) returns TABLE(number integer, tenant_name text, user_key text, attributes text, checkpoints text, calls text, secrets text, too_long text)
-- function jobrunner.run_totals(in_user_ids bigint[], in_names text[], in_fences bigint[]) returns TABLE(user_id bigint, name text, counters jobrunner.counters, entities jsonb)
-- function jobrunner.running_of_tenant(in_tenant_id bigint) returns bigint
-- function jobrunner.save_record(in_tenant text, in_user text, in_table text, in_values jsonb) returns TABLE(record jsonb, is_new boolean)
-- function jobrunner.schedule_jobs(in_name text, in_tenant_id bigint DEFAULT NULL::bigint, in_user_id bigint DEFAULT NULL::bigint, in_after_user_id bigint DEFAULT '-1'::integer, in_limit integer DEFAULT NULL::integer) returns TABLE(last_user_id bigint, changed_count integer)
-- function jobrunner.schedule_next_jobs(in_name text, in_limit integer DEFAULT 1000) returns integer
-- function jobrunner.sealed_secrets(in_tenant_id bigint, in_user_id bigint) returns text
-- function jobrunner.send_again(in_user_id bigint, in_table text, in_change_tag text) returns bigint
-- function jobrunner.session_figures() returns TABLE(state text, sessions bigint, oldest_snapshot_seconds double precision)
-- function jobrunner.set_period(in_tenant text, in_user text, in_job text, in_every interval) returns integer
-- function jobrunner.set_secret(in_tenant_id bigint, in_user_id bigint, in_name text, in_sealed bytea) returns integer
-- function jobrunner.set_source(in_tenant text, in_source text, in_base text) returns void
-- function jobrunner.set_tenant(in_name text, in_weight integer DEFAULT NULL::integer, in_max_running integer DEFAULT NULL::integer, in_unlimited boolean DEFAULT false) returns void
-- function jobrunner.set_trouble(in_user_id bigint, in_name text, in_entity text, in_kind text, in_error text, in_declaration bigint DEFAULT NULL::bigint) returns boolean
-- function jobrunner.set_user(in_tenant text, in_key text, in_attributes jsonb) returns void
-- function jobrunner.slow_jobs() returns integer
-- function jobrunner.source_named(in_tenant text, in_source text) returns jobrunner.sources
-- function jobrunner.stamps_of_edit(in_table text, in_known jsonb, in_old jsonb, in_new jsonb) returns jsonb
-- function jobrunner.stand_for_tenant(in_tenant_id bigint) returns bigint
-- function jobrunner.status_of(in_tenant text, in_user text) returns TABLE(job text, state text, entity text, pass text, page integer, rows bigint, last_complete_at timestamp with time zone, due_at timestamp with time zone, why text, needs text, tells text)
-- function jobrunner.stop_requests(in_worker_id integer) returns TABLE(user_id bigint, name text, fence bigint)
-- function jobrunner.store_calls(in_ends jobrunner.run_end[]) returns void
-- function jobrunner.store_ended_passes(in_ends jobrunner.run_end[]) returns bigint[]
-- function jobrunner.store_entity_failures(in_ends jobrunner.run_end[]) returns void
-- function jobrunner.store_job_file(in_file jsonb, in_is_scheduled boolean DEFAULT true) returns boolean
-- function jobrunner.store_push_counters(in_user_id bigint, in_name text, in_entity text, in_fence bigint, in_pushed bigint, in_failed bigint, in_swept bigint) returns boolean
-- function jobrunner.store_record_failures(in_user_id bigint, in_name text, in_entity text, in_failures jsonb) returns boolean
-- function jobrunner.store_secret(in_tenant_id bigint, in_user_id bigint, in_name text, in_sealed bytea, in_since timestamp with time zone, in_job text DEFAULT NULL::text) returns integer
-- function jobrunner.store_slot_use(in_worker_id integer, in_tenant_ids bigint[], in_slot_ms bigint[], in_other_ms bigint) returns void
-- function jobrunner.store_unread_values(in_user_id bigint, in_name text, in_entity text, in_unread jsonb) returns boolean
-- function jobrunner.sweep_statement(in_sweep jsonb) returns text
-- function jobrunner.sweep_table(in_user_id bigint, in_name text, in_entity text, in_pass_number integer, in_sweep jsonb) returns TABLE(swept bigint, verdict text)
-- function jobrunner.take_budget(in_tenant_id bigint, in_source text, in_wanted integer, in_waits boolean DEFAULT true) returns TABLE(tenant_id bigint, source text, base text, granted integer, blocked_ms bigint)
-- function jobrunner.take_chore(in_name text, in_period interval) returns boolean
-- function jobrunner.take_dead_record(in_table text, in_known jsonb, in_user_id bigint, in_new jsonb) returns jsonb
-- function jobrunner.take_job(in_tenant text, in_job text, in_with_rows boolean DEFAULT false) returns integer
-- function jobrunner.take_jobs(in_worker_id integer, in_places tid[]) returns jobrunner.claimed_job[]
-- function jobrunner.tell_conflicts(in_user_id bigint, in_name text, in_fence bigint, in_entity text, in_records text[], in_winner text) returns integer
-- function jobrunner.tell_duplicates(in_user_id bigint, in_name text, in_fence bigint, in_entity text, in_table text, in_values text[] DEFAULT NULL::text[]) returns integer
-- function jobrunner.tell_events(in_kind text, in_user_ids bigint[], in_names text[], in_runs bigint[], in_entity text DEFAULT NULL::text, in_details jsonb[] DEFAULT NULL::jsonb[]) returns integer
-- function jobrunner.tell_of_run(in_user_id bigint, in_name text, in_fence bigint, in_kind text, in_entity text, in_details jsonb) returns integer
-- function jobrunner.tells_of(in_event text) returns boolean
-- function jobrunner.tenant_named(in_tenant text) returns jobrunner.tenants
-- function jobrunner.tenant_user(in_tenant text) returns bigint
-- function jobrunner.tick_after_run(in_next timestamp with time zone, in_now timestamp with time zone, in_every interval, in_phase interval) returns timestamp with time zone
-- function jobrunner.total(jobrunner.counters) returns jobrunner.counters
-- function jobrunner.trigger_event(in_tenant text, in_user text, in_event text) returns TABLE(job text, answer text, due_at timestamp with time zone)
-- function jobrunner.unraised_counts(in_user_id bigint, in_source text, in_field text, in_records text[]) returns SETOF text
-- function jobrunner.unsuitable_values(in_values text[], in_type text) returns integer[]
-- function jobrunner.user_named(in_tenant text, in_user text) returns jobrunner.users
-- function jobrunner.wake_workers(in_since timestamp with time zone DEFAULT NULL::timestamp with time zone, in_tenant_id bigint DEFAULT NULL::bigint, in_jobs bigint DEFAULT NULL::bigint, in_user_id bigint DEFAULT NULL::bigint) returns void
-- function jobrunner.want_fresh(in_tenant text, in_user text, in_job text, in_force boolean DEFAULT false) returns TABLE(answer text, age interval, usable boolean, user_id bigint, after_run bigint, asked_at timestamp with time zone)
-- function jobrunner.watch_table(in_table text) returns boolean
-- function jobrunner.why_of_job(in_tenant text, in_user text, in_job text) returns text
-- function jobrunner.without_paused(in_due jobrunner.due_tenants) returns jobrunner.due_tenants
-- function jobrunner.words_for(in_span interval) returns text
-- function jobrunner.writable_table(in_table text, in_values jsonb) returns jsonb
-- view jobrunner.blocked_sources(tenant text, source text, blocked_until timestamp with time zone, reason text, consecutive_failures integer)
-- view jobrunner.entity_progress(tenant text, user_key text, job text, entity text, state text, pass_kind text, page_number integer, pass_age interval, has_cursor boolean, watermark text, last_synced_at timestamp with time zone, consecutive_failures integer, error_kind text, error text, last_run bigint, pages bigint, fetched bigint, inserted bigint, updated bigint, unchanged bigint, skipped_older bigint, skipped_incompatible bigint, filtered bigint, duplicate bigint, deleted bigint, swept bigint, pushed bigint, push_failed bigint, edits_lost bigint, unread jsonb, troubles jsonb)
-- view jobrunner.failing_jobs(tenant text, user_key text, job text, state text, error_kind text, error text, last_error_at timestamp with time zone, consecutive_failures integer, next_try_at timestamp with time zone, last_success_at timestamp with time zone)
-- view jobrunner.gauges(name text, labels jsonb, value double precision)
-- view jobrunner.job_overview(tenant text, user_key text, job text, state text, due_at timestamp with time zone, last_outcome text, last_run_at timestamp with time zone, last_success_at timestamp with time zone, consecutive_failures integer, error_kind text, error text, worker_id bigint, run bigint)
-- view jobrunner.jobs_in_trouble(tenant text, user_key text, job text, entity text, trouble text, since timestamp with time zone, detail text)
-- view jobrunner.kinds_of_trouble(kind text, about text, words text, hint text, alerts boolean, needs text, tells text)
-- view jobrunner.late_jobs(tenant text, user_key text, job text, late_by interval, due_at timestamp with time zone, asked boolean, consecutive_failures integer, last_outcome text)
-- view jobrunner.quarantined_jobs(tenant text, user_key text, job text, reason text, quarantined_at timestamp with time zone, until timestamp with time zone, crashes integer, stalled_runs integer)
-- view jobrunner.raised_alerts(alert text, severity text, subject text, detail text)
-- view jobrunner.running_jobs(worker_id bigint, host text, pid integer, tenant text, user_key text, job text, run bigint, running_for interval, yields_in interval, silent_for interval, stopping boolean)
-- view jobrunner.tenant_freshness(tenant text, job text, user_count bigint, fresh_count bigint, fresh_percent numeric, staleness_p50 interval, staleness_p99 interval, never_count bigint, failing_count bigint)
-- view jobrunner.tenant_shares(tenant text, weight integer, asked_percent numeric, had_percent numeric, slot_seconds numeric, due_count bigint, waiting_since timestamp with time zone)
-- view jobrunner.told_events(transaction_id xid8, id bigint, at timestamp with time zone, tenant text, user_key text, job text, entity text, run bigint, kind text, detail jsonb)
-- view jobrunner.user_story(tenant text, user_key text, job text, run bigint, outcome text, started_at timestamp with time zone, ended_at timestamp with time zone, took interval, waited interval, error_kind text, error text, requests integer, pages bigint, fetched bigint, inserted bigint, updated bigint, unchanged bigint, skipped_older bigint, skipped_incompatible bigint, filtered bigint, duplicate bigint, deleted bigint, swept bigint, pushed bigint, push_failed bigint, edits_lost bigint, entities jsonb)
-- view jobrunner.waiting_reasons(reason text, tenant text, jobs bigint, may_be_more boolean, since timestamp with time zone, waiting_for interval, counted_ago interval)
-- view jobrunner.worker_health(worker_id integer, host text, pid integer, version text, health text, capacity integer, running_count bigint, silent_for interval, started_at timestamp with time zone, ended_at timestamp with time zone)
