-- Who runs jobs, and what they may ask of whom.

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
  constraint worker_capacity_is_positive check (capacity > 0),
  constraint ended_worker_has_a_reason check ((ended_at is null) = (end_reason is null))
) with (fillfactor = 50);
comment on table jobrunner.workers is 'Worker processes. One heartbeat row each keeps all of its claims.';
comment on column jobrunner.workers.id is 'Number of the worker; its session holds the advisory lock (1246907730, id) while it lives.';
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

create table jobrunner.sources (
  tenant_id bigint not null references jobrunner.tenants (id),
  name text not null,
  base text,
  tokens double precision not null default 0,
  refilled_at timestamptz not null default now(),
  consecutive_failures integer not null default 0,
  blocked_until timestamptz,
  block_reason text,
  primary key (tenant_id, name),
  constraint source_base_is_a_web_address check (base ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*[^/?#[:space:]])?$'),
  constraint blocked_source_has_a_reason check ((blocked_until is null) = (block_reason is null))
);
comment on table jobrunner.sources is 'Budget and breaker of a source, per tenant, shared by all workers.';
comment on column jobrunner.sources.tenant_id is 'Whose use of the source.';
comment on column jobrunner.sources.name is 'Id of the source in job files.';
comment on column jobrunner.sources.base is 'Address for this tenant in place of the job file''s; null: the job file''s.';
comment on column jobrunner.sources.tokens is 'Requests left in the budget at refilled_at; at most one second''s worth.';
comment on column jobrunner.sources.refilled_at is 'When the budget was last refilled.';
comment on column jobrunner.sources.consecutive_failures is 'Runs in a row, over all users, that found the source unavailable.';
comment on column jobrunner.sources.blocked_until is 'The breaker: until then nobody asks this source; null: closed.';
comment on column jobrunner.sources.block_reason is 'Why the breaker opened.';
