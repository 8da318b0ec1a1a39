create or replace view jobrunner.told_events with (security_barrier) as
select e.transaction_id, e.id, e.at, t.name as tenant, u.key as user_key, e.job_name as job, e.entity, e.run, e.kind,
  e.detail
from jobrunner.events as e
join jobrunner.users as u on u.id = e.user_id
join jobrunner.tenants as t on t.id = e.tenant_id
where e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
  and (select jobrunner.own_tenant_id()) in (0, e.tenant_id);
comment on view jobrunner.told_events is 'What applications are told of runs, as far as nothing older can come any more: who remembers the last (transaction_id, id) misses none.';
comment on column jobrunner.told_events.transaction_id is 'Goes first in the order of events.';
comment on column jobrunner.told_events.id is 'Goes second.';
comment on column jobrunner.told_events.at is 'When.';
comment on column jobrunner.told_events.tenant is 'Name of the tenant.';
comment on column jobrunner.told_events.user_key is 'Key of the user; * is the tenant itself.';
comment on column jobrunner.told_events.job is 'Name of the job.';
comment on column jobrunner.told_events.entity is 'The entity; null: it is of the whole run.';
comment on column jobrunner.told_events.run is 'Number of the run.';
comment on column jobrunner.told_events.kind is 'sync_began, pass_began, pass_ended, sync_ended, duplicates_found, conflict_decided, zone_made, trouble_began, recovering or trouble_ended.';
comment on column jobrunner.told_events.detail is 'What there is to say.';
