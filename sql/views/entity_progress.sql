create or replace view jobrunner.entity_progress as
select t.name as tenant, u.key as user_key, k.job_name as job, k.entity,
  case
    when k.pass_kind = 'full' and k.last_full_at is null then 'restoring'
    when k.pass_kind is not null then 'reading'
    when k.skipped_since is not null then 'skipped'
    when k.last_synced_at is null then 'never_read'
    else 'synced'
  end as state, k.pass_kind, k.page_number,
  now() - k.pass_started_at as pass_age, k.cursor is not null as has_cursor, k.watermark,
  case when k.last_synced_at is not null then greatest(k.last_synced_at, j.unchanged_at) end as last_synced_at,
  k.consecutive_failures, k.last_error_kind as error_kind, k.last_error as error, k.run_fence as last_run,
  (k.counters).*, k.unread, k.troubles, k.skipped_since, k.skip_reason, k.tenant_id, k.user_id
from jobrunner.checkpoints as k
join jobrunner.users as u on u.id = k.user_id
join jobrunner.tenants as t on t.id = k.tenant_id
left join jobrunner.jobs as j on j.user_id = k.user_id and j.name = k.job_name;
comment on view jobrunner.entity_progress is 'How far is each entity of each job? With the counters of the last run that committed a page.';
comment on column jobrunner.entity_progress.tenant is 'Name of the tenant.';
comment on column jobrunner.entity_progress.user_key is 'Key of the user.';
comment on column jobrunner.entity_progress.job is 'Name of the job.';
comment on column jobrunner.entity_progress.entity is 'The kind of record.';
comment on column jobrunner.entity_progress.state is 'restoring: a full pass is under way, and none was completed before or since a reset; reading: another pass is; skipped: the source has nothing of it for this user; synced, or never_read.';
comment on column jobrunner.entity_progress.pass_kind is 'The pass in progress; null: none.';
comment on column jobrunner.entity_progress.page_number is 'Pages committed of the pass in progress or of the last.';
comment on column jobrunner.entity_progress.pass_age is 'Since the pass in progress began.';
comment on column jobrunner.entity_progress.has_cursor is 'An interrupted pass goes on at a cursor.';
comment on column jobrunner.entity_progress.watermark is 'Greatest server time wholly seen.';
comment on column jobrunner.entity_progress.last_synced_at is 'When a pass was last completed.';
comment on column jobrunner.entity_progress.consecutive_failures is 'Failed runs in a row that failed here.';
comment on column jobrunner.entity_progress.error_kind is 'Kind of the last error here.';
comment on column jobrunner.entity_progress.error is 'Text of the last error here.';
comment on column jobrunner.entity_progress.last_run is 'The run the counters belong to.';
comment on column jobrunner.entity_progress.unread is 'Values that the last pass with any could not read, by field or flag, with an example; null: none.';
comment on column jobrunner.entity_progress.troubles is 'What of it waits for a person, by kind: {kind: {error, since}}; null: nothing.';
comment on column jobrunner.entity_progress.skipped_since is 'Since when a rule of errors in the job file skips it; null: it is read.';
comment on column jobrunner.entity_progress.skip_reason is 'What the source answered when that began.';
comment on column jobrunner.entity_progress.tenant_id is 'Number of the tenant: a filter by it is found in an index.';
comment on column jobrunner.entity_progress.user_id is 'Number of the user: a filter by it is found in an index.';
select jobrunner.describe_counters('jobrunner.entity_progress');
