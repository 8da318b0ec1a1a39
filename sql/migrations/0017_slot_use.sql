-- What each tenant had of the slots, as the workers tell it.

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
