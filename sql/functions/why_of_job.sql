create or replace function jobrunner.why_of_job(
  in_tenant text,
  in_user text,
  in_job text
) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- One sentence: why a user's job, or the tenant's (user null or *), is or is not running. Raises JR010, JR011, JR012.
-- Not for callers: explain_job.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_user jobrunner.users := jobrunner.user_named(in_tenant, coalesce(in_user, '*'));
  v_job jobrunner.jobs;
  v_source jobrunner.sources;
  v_worker jobrunner.workers;
  v_ahead bigint;
  v_running bigint;
  v_alive integer;
begin
  select j.* into v_job from jobrunner.jobs as j where j.user_id = v_user.id and j.name = in_job;
  if not found then
    raise exception 'user ''%'' has no job ''%''', in_user, in_job using errcode = 'JR012';
  end if;
  select s.* into v_source
  from jobrunner.sources as s
  join jobrunner.job_files as f on f.source = s.name
  where s.tenant_id = v_tenant.id and f.name = in_job;
  select count(*) into v_alive from jobrunner.workers as w where w.ended_at is null and jobrunner.is_alive(w);
  if v_job.state = 'running' then
    select w.* into v_worker from jobrunner.workers as w where w.id = v_job.worker_id;
    if v_worker.draining_at is null and not jobrunner.is_alive(v_worker) then
      return format('It does not run: run %s was on worker %s, which is gone since %s ago; %s takes it over and goes on behind its last page.',
        v_job.fence, v_job.worker_id, jobrunner.words_for(now() - v_worker.heartbeat_at),
        case when v_alive > 0 then 'another worker' else 'no other worker is alive, and one that is started' end);
    end if;
    return format('It is running as run %s on worker %s since %s ago%s.', v_job.fence, v_job.worker_id,
      jobrunner.words_for(now() - v_job.started_at),
      case
        when v_job.cancel_requested_at is not null then ', and was asked to stop'
        when v_job.rerun_requested then ', and one more run follows'
        else ', and yields in ' || jobrunner.words_for(v_job.deadline_at - now())
      end);
  end if;
  if v_tenant.paused_at is not null then
    return format('It does not run because tenant ''%s'' has been paused since %s ago.', in_tenant,
      jobrunner.words_for(now() - v_tenant.paused_at));
  end if;
  if v_job.state = 'paused' then
    return format('It does not run because %s has been paused since %s ago.',
      case when v_job.paused_with_user then 'its user' when v_job.paused_with_file then 'its job file' else 'it' end,
      jobrunner.words_for(now() - v_job.paused_at));
  end if;
  if v_job.state = 'quarantined' then
    return format('It does not run because it was set aside for %s more: %s; `jobrunner retry` lets it go on now.',
      jobrunner.words_for(v_job.due_at - now()), v_job.quarantine_reason);
  end if;
  if v_job.state = 'needs_reauth' then
    return format('It does not run because %s is of no use since %s ago%s; a new secret%s wakes it, and so does `jobrunner retry`.',
      case when v_job.last_error_kind = 'client_refused' then 'the tenant''s own credential' else 'its credential' end,
      jobrunner.words_for(now() - v_job.reauth_needed_at), coalesce(': ' || v_job.last_error, ''),
      case when v_job.last_error_kind = 'client_refused' then ' of the tenant' else '' end);
  end if;
  if v_job.due_at > now() then
    return format('It does not run because it is due in %s%s.', jobrunner.words_for(v_job.due_at - now()),
      case
        when v_job.deferred_until > now() and v_job.last_error_kind = 'breaker_open'
          then format(': the breaker of its source %s is open, and `jobrunner close-breaker` closes it', v_source.name)
            || coalesce(': ' || v_source.block_reason, '')
        when v_job.deferred_until > now() and v_job.last_error_kind = 'rate_limited'
          then ': the source asked for patience' || coalesce(': ' || v_job.last_error, '')
        when v_job.deferred_until > now() then ': ' || coalesce(v_job.last_error, 'the source asked for patience')
        when v_job.consecutive_failures = 1 then ', backing off after a failure: ' || coalesce(v_job.last_error, '')
        when v_job.consecutive_failures > 1
          then format(', backing off after %s failures in a row: %s', v_job.consecutive_failures, v_job.last_error)
        when v_job.last_success_at is not null
          then format('; the last run was complete %s ago', jobrunner.words_for(now() - v_job.last_success_at))
        else ''
      end);
  end if;
  if v_alive = 0 then
    return format('It has been due for %s and does not run because no worker is alive.',
      jobrunner.words_for(now() - v_job.due_at));
  end if;
  if not exists (
    select from jobrunner.workers as w
    where w.ended_at is null and jobrunner.is_alive(w) and coalesce(in_job = any (w.job_names), true)
  ) then
    return format('It has been due for %s and does not run because no worker has its job file.',
      jobrunner.words_for(now() - v_job.due_at));
  end if;
  if v_tenant.max_running is not null then
    v_running := jobrunner.running_of_tenant(v_tenant.id);
  end if;
  if v_running >= v_tenant.max_running then
    return format('It has been due for %s and waits because tenant ''%s'' runs its most of %s jobs already.',
      jobrunner.words_for(now() - v_job.due_at), in_tenant, v_tenant.max_running);
  end if;
  if v_source.blocked_until > now() then
    return format('It is due, and will be put off because the breaker of its source %s is open for %s: %s.',
      v_source.name, jobrunner.words_for(v_source.blocked_until - now()), v_source.block_reason);
  end if;
  if v_job.crashes >= 2 then
    return format('It has been due for %s and waits for a turn alone: it may have killed two workers, and each worker runs one such job at a time.',
      jobrunner.words_for(now() - v_job.due_at));
  end if;
  -- Nobody needs to know it more exactly, and a backlog may be of millions.
  select count(*) into v_ahead
  from (
    select from jobrunner.jobs as j
    where j.claimable_at < v_job.claimable_at and j.tenant_id = v_tenant.id and j.state = 'waiting'
      and j.priority >= v_job.priority
    limit 1000
  ) as j;
  return format('It has been due for %s and waits for a slot behind %s jobs of its tenant; %s alive.',
    jobrunner.words_for(now() - v_job.due_at), case when v_ahead < 1000 then v_ahead::text else '1000 or more' end,
    case v_alive when 1 then 'one worker is' else v_alive || ' workers are' end);
end
$$;
comment on function jobrunner.why_of_job is 'Why a user''s job is or is not running, in a sentence. Not for callers: explain_job.';
