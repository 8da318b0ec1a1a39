create or replace function jobrunner.enqueue_job(
  in_job jobrunner.jobs,
  in_full boolean,
  in_entity text,
  in_force boolean
) returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- One locked job's part of an enqueue, without the notification. Not for callers: enqueue, enqueue_all and want_fresh.
declare
  v_entities text[];
begin
  if in_full or in_entity is not null then
    select array_agg(e ->> 'entity') into v_entities
    from jobrunner.job_files as f
    cross join lateral jsonb_array_elements(f.expanded -> 'entities') as e
    where f.name = in_job.name and (in_entity is null or e ->> 'entity' = in_entity);
    if v_entities is null then
      raise exception 'job ''%'' has no entity ''%''', in_job.name, in_entity using errcode = 'JR014';
    end if;
  end if;
  if in_full then
    perform jobrunner.request_full(in_job, v_entities, false);
  end if;

  update jobrunner.jobs as j
  set due_at = case
      -- A quarantine ends at due_at: the request is kept, and does not end it.
      when j.worker_id is not null or j.quarantined_at is not null then j.due_at
      when j.deferred_until > now() and not in_force then j.due_at
      -- Not before now, where workers look: what is due already is found anew, as asked for.
      else now()
    end,
    untriggered_due_at = case
      when j.worker_id is not null or j.quarantined_at is not null or j.deferred_until > now() and not in_force
      then j.untriggered_due_at
    end,
    priority = 1,
    -- While the job runs, what is asked is asked of the run that follows.
    rerun_requested = j.worker_id is not null,
    rerun_forced = j.worker_id is not null and (j.rerun_forced or in_force),
    rerun_entity = case
      when j.worker_id is not null and (not j.rerun_requested or j.rerun_entity = in_entity) then in_entity
    end,
    force_requested = j.force_requested or j.worker_id is null and in_force,
    -- A run that is owed already, by the clock or after a failure, is not narrowed to one entity. now() would not do:
    -- it is when the caller's transaction began, and another's enqueue may have made the job due since.
    entity_requested = case
      when j.worker_id is not null then j.entity_requested
      when j.entity_requested = in_entity
        or j.due_at > clock_timestamp() and j.consecutive_failures = 0
          and coalesce(j.deferred_until <= clock_timestamp(), true)
      then in_entity
    end,
    deferred_until = case when not in_force then j.deferred_until end
  where j.user_id = in_job.user_id and j.name = in_job.name;
  perform jobrunner.postpone_slowing(in_job);

  return case
    when in_job.worker_id is not null then 'follows_running'
    when in_job.state <> 'waiting' then in_job.state
    when in_job.deferred_until > now() and not in_force then 'deferred'
    else 'due'
  end;
end
$$;
comment on function jobrunner.enqueue_job is 'One job''s part of an enqueue.';
