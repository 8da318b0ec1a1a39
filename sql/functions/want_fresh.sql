create or replace function jobrunner.want_fresh(
  in_tenant text,
  in_user text,
  in_job text,
  in_force boolean default false
) returns table (
  answer text,
  age interval,
  usable boolean,
  user_id bigint,
  after_run bigint,
  asked_at timestamptz
)
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- What a reader of a job's rows may do. answer: fresh (nothing is asked of the source), refreshing (use the rows, one
-- refresh follows however many ask), wait (for the run after after_run; in_force: at any age), or, where that refresh
-- can't begin, paused, quarantined, needs_reauth, deferred. usable: the stored rows may be shown meanwhile. Ages are
-- those of the job file, else the user's or tenant's period, else the file's; as old as hard is too old. While rows are
-- fresh nothing is locked.
-- Raises JR010, JR011, JR012.
#variable_conflict use_column
declare
  v_tenant_id bigint := (jobrunner.tenant_named(in_tenant)).id;
  v_file jobrunner.job_files;
  v_own interval;
  v_soft interval;
  v_hard interval;
  v_job jobrunner.jobs;
begin
  asked_at := now();
  select f.* into v_file from jobrunner.job_files as f where f.name = in_job;
  select j.* into v_job
  from jobrunner.jobs as j
  join jobrunner.users as u on u.id = j.user_id
  where u.tenant_id = v_tenant_id and j.name = in_job
    and u.key = case when v_file.scope = 'tenant' then coalesce(in_user, '*') else in_user end;
  -- The period of one that has slowed down is for those who do not ask.
  select g.every into v_own from jobrunner.period_of(v_job.user_id, v_tenant_id, in_job) as g;
  v_soft := coalesce(v_file.soft, v_own, v_file.every);
  v_hard := coalesce(v_file.hard, v_own, v_file.every);
  age := jobrunner.age_of_rows(v_job.user_id, in_job);
  if in_force or age is null or age >= v_soft then
    -- Read again under the lock: a run may have ended, or another reader asked, in between.
    v_job := jobrunner.job_named(in_tenant, in_user, in_job);
    age := jobrunner.age_of_rows(v_job.user_id, in_job);
  end if;
  user_id := v_job.user_id;
  after_run := case when v_job.worker_id is null or in_force then v_job.fence else v_job.fence - 1 end;
  usable := coalesce(age < v_hard, false);
  answer := case
    when not in_force and age < v_soft then 'fresh'
    when v_job.worker_id is not null then case when usable and not in_force then 'refreshing' else 'wait' end
    when v_job.state <> 'waiting' then v_job.state
    when v_job.deferred_until > now() and not in_force then 'deferred'
    when usable and not in_force then 'refreshing'
    else 'wait'
  end;
  if answer = 'refreshing' then
    -- After a failure the backoff decides: readers must not hammer a source that is down.
    update jobrunner.jobs as j
    set due_at = now(), untriggered_due_at = null, priority = greatest(j.priority, 0)
    where j.user_id = v_job.user_id and j.name = v_job.name and j.worker_id is null and j.due_at > now()
      and j.consecutive_failures = 0;
    if found then
      perform jobrunner.wake_workers(now(), in_jobs => 1, in_user_id => v_job.user_id);
    end if;
  elsif answer <> 'fresh' and (v_job.worker_id is null or in_force)
    and (in_force or v_job.priority <= 0 or v_job.due_at > now())
  then
    if jobrunner.enqueue_job(v_job, false, null, in_force) = 'due' then
      perform jobrunner.wake_workers(now(), in_jobs => 1, in_user_id => v_job.user_id);
    end if;
  end if;
  perform jobrunner.postpone_slowing(v_job);
  return next;
end
$$;
comment on function jobrunner.want_fresh is 'Whether a reader may use a job''s stored rows, and a refresh where they are old.';
