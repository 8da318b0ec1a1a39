create or replace view jobrunner.jobs_in_trouble as
select t.name as tenant, u.key as user_key, found.job, found.entity, found.trouble, found.since, found.detail
from (
  -- Each of the first arms walks an index that holds nothing of healthy jobs.
  select j.user_id, j.name as job, null as entity,
    case
      when j.quarantined_at is not null then 'quarantined'
      when j.last_error_kind = 'client_refused' and (j.reauth_needed_at is not null or j.consecutive_failures > 0)
        then 'client_refused'
      when j.reauth_needed_at is not null then 'needs_reauth'
      when j.consecutive_failures > 0 then 'failing'
      when j.stalled_runs > 1 then 'stalled'
      when j.deferrals < 5 then 'endless'
      when j.last_error_kind = 'no_key' then 'no_key'
      else 'deferred'
    end as trouble,
    coalesce(j.quarantined_at, j.reauth_needed_at, j.last_error_at, j.last_run_at) as since,
    case
      when j.quarantined_at is not null then j.quarantine_reason
      when j.reauth_needed_at is not null or j.consecutive_failures > 0
        then concat(j.last_error_kind, ': ' || j.last_error)
      when j.stalled_runs > 1 then j.stalled_runs || ' runs in a row met their deadline on one page'
      when j.deferrals > 4 and j.last_error_kind = 'no_key' then concat(j.last_error_kind, ': ' || j.last_error)
      when j.deferrals < 5 then j.fruitless_runs || ' runs in a row read pages that held nothing new, and saw no end'
      else j.deferrals || ' runs in a row were put off by the source and committed nothing'
    end as detail
  from jobrunner.jobs as j
  where j.consecutive_failures > 0 or j.quarantined_at is not null or j.reauth_needed_at is not null
    or j.stalled_runs > 1
    or j.deferrals > 4 or j.fruitless_runs > 1 and jobrunner.is_fruitless(j.user_id, j.name, j.fruitless_runs, now())
  union all
  select k.user_id, k.job_name, k.entity, 'entity_failing', k.last_error_at,
    concat(k.last_error_kind, ': ' || k.last_error)
  from jobrunner.checkpoints as k
  where k.last_error_kind is not null and not exists (
    select from jobrunner.jobs as j where j.user_id = k.user_id and j.name = k.job_name and j.consecutive_failures > 0
  )
  union all
  select k.user_id, k.job_name, k.entity, s.key, (s.value ->> 'since')::timestamptz,
    concat(s.key, ': ', s.value ->> 'error')
  from jobrunner.checkpoints as k
  cross join lateral jsonb_each(k.troubles) as s
  where k.troubles is not null
  union all
  select k.user_id, k.job_name, k.entity, 'entity_skipped', k.skipped_since, k.skip_reason
  from jobrunner.checkpoints as k
  where k.skipped_since is not null
  union all
  -- The bounds are those of endless_at, which is asked of few.
  select k.user_id, k.job_name, k.entity, 'endless', jobrunner.endless_at(j.user_id, j.name, j.last_success_at),
    format('%s pages of a %s pass of which no end was seen in a day and a hundred runs', k.page_number, k.pass_kind)
  from jobrunner.checkpoints as k
  join jobrunner.jobs as j on j.user_id = k.user_id and j.name = k.job_name
  where k.pass_kind is not null and k.page_number >= 100
    and coalesce(j.last_success_at < now() - interval '1 day', true)
    and jobrunner.endless_at(j.user_id, j.name, j.last_success_at) <= now()
  union all
  select h.user_id, h.name, null,
    case when w.id is null or w.ended_at is not null then 'orphaned' else 'overdue' end,
    coalesce(w.ended_at, h.deadline_at),
    case
      when w.id is null then format('it runs under worker %s, which is not known', h.worker_id)
      when w.ended_at is not null then format('it runs under worker %s, which has ended', h.worker_id)
      else format('its deadline has passed, and worker %s still runs it', h.worker_id)
    end
  from jobrunner.held as h
  left join jobrunner.workers as w on w.id = h.worker_id
  where w.id is null or w.ended_at < now() - interval '1 minute' or h.deadline_at < now() - interval '1 minute'
  union all
  select u.id, g.job_name, null, 'lacking', greatest(u.created_at, g.created_at),
    'its tenant was given the job, and the user has none'
  from jobrunner.tenant_jobs as g
  join jobrunner.job_files as f on f.name = g.job_name
  join jobrunner.users as u on u.tenant_id = g.tenant_id and u.stands_for_tenant = (f.scope = 'tenant')
  where not exists (select from jobrunner.jobs as j where j.user_id = u.id and j.name = g.job_name)
) as found
join jobrunner.users as u on u.id = found.user_id
join jobrunner.tenants as t on t.id = u.tenant_id;
comment on view jobrunner.jobs_in_trouble is 'Which jobs need a person, and why? A job may be in it for several reasons.';
comment on column jobrunner.jobs_in_trouble.tenant is 'Name of the tenant.';
comment on column jobrunner.jobs_in_trouble.user_key is 'Key of the user.';
comment on column jobrunner.jobs_in_trouble.job is 'Name of the job.';
comment on column jobrunner.jobs_in_trouble.entity is 'Where it lies in one entity: the kind of record.';
comment on column jobrunner.jobs_in_trouble.trouble is 'One of kinds_of_trouble, which says what it means and what helps.';
comment on column jobrunner.jobs_in_trouble.since is 'Since when, or when it was last seen so.';
comment on column jobrunner.jobs_in_trouble.detail is 'What happened, in words.';
