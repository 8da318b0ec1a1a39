create or replace function jobrunner.retry_jobs(
  in_tenant text,
  in_user text default null,
  in_job text default null
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Makes failing, quarantined, deferred and needs_reauth jobs due now, with clean crash counts and every entity; returns
-- how many.
-- Failure counts and last errors stay until a run succeeds.
declare
  v_count integer;
begin
  update jobrunner.jobs as j
  set due_at = now(),
    untriggered_due_at = null,
    priority = 1,
    crashes = 0,
    stalled_runs = 0,
    fruitless_runs = 0,
    quarantined_at = null,
    quarantine_reason = null,
    entity_requested = null,
    reauth_needed_at = null,
    deferred_until = null
  from jobrunner.jobs_named(in_tenant, in_user, in_job) as named
  where j.user_id = named.user_id and j.name = named.name and j.worker_id is null
    and (
      j.consecutive_failures > 0 or j.quarantined_at is not null or j.reauth_needed_at is not null
      or j.deferred_until > now()
    );
  get diagnostics v_count = row_count;
  if v_count > 0 then
    perform jobrunner.wake_workers(now(), in_jobs => v_count);
  end if;
  perform jobrunner.note_act('retry_jobs', in_job, jsonb_build_object('jobs', v_count), in_tenant, in_user);
  return v_count;
end
$$;
comment on function jobrunner.retry_jobs is 'Makes jobs in trouble due now and lifts quarantine.';
