create or replace function jobrunner.grant_reader() returns boolean
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Lets role jobrunner_reader see the operators' views and the history, and no secret. The role is an administrator's to
-- make: it is the server's, and whoever may make roles may give themselves others. Returns whether there is one.
begin
  if not exists (select from pg_roles where rolname = 'jobrunner_reader') then
    return false;
  end if;
  grant usage on schema jobrunner to jobrunner_reader;
  grant select on jobrunner.late_jobs, jobrunner.failing_jobs, jobrunner.running_jobs, jobrunner.entity_progress,
    jobrunner.tenant_freshness, jobrunner.worker_health, jobrunner.quarantined_jobs, jobrunner.user_story,
    jobrunner.blocked_sources, jobrunner.job_overview, jobrunner.jobs_in_trouble, jobrunner.tenant_shares, jobrunner.waiting_reasons, jobrunner.gauges, jobrunner.raised_alerts to jobrunner_reader;
  grant select on jobrunner.tenants, jobrunner.jobs, jobrunner.checkpoints, jobrunner.runs, jobrunner.workers,
    jobrunner.claims, jobrunner.sources, jobrunner.job_files, jobrunner.tenant_jobs, jobrunner.chores, jobrunner.periods, jobrunner.slot_use,
    jobrunner.waiting_counts, jobrunner.trouble_counts, jobrunner.freshness_counts, jobrunner.swept_counts, jobrunner.migrations, jobrunner.applied_code to jobrunner_reader;
  grant select (id, tenant_id, key, paused_at, created_at) on jobrunner.users to jobrunner_reader;
  -- What the views call: a server may be set up so that nobody may call a function unless it is granted.
  grant execute on function jobrunner.describe_counters, jobrunner.endless_at, jobrunner.held_jobs, jobrunner.is_fruitless,
    jobrunner.session_figures, jobrunner.words_for to jobrunner_reader;
  return true;
end
$$;
comment on function jobrunner.grant_reader is 'Gives role jobrunner_reader the views and the history, and no secret.';
