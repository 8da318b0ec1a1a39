create or replace function jobrunner.trigger_event(
  in_tenant text,
  in_user text,
  in_event text
) returns table (
  job text,
  answer text,
  due_at timestamptz
)
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Tells the jobs of a user, or of the tenant (user null or *), that something happened in their world. A row per
-- trigger it concerns, with the job's due_at after it: due (when the debounce is over; again: begun anew),
-- follows_running, not_armed (its cancel_on has not come since), armed, called_off (armed, and the debounce is over).
-- It may be deferred, paused, quarantined or needs_reauth, too, as enqueue says. No rows: no job waits for it. Raises
-- JR010, JR011.
#variable_conflict use_column
declare
  v_job jobrunner.jobs;
  v_trigger record;
  v_counts boolean;
  v_jobs bigint := 0;
  v_user_id bigint;
  v_due_at timestamptz;
begin
  for v_job in select j.* from jobrunner.jobs_named(in_tenant, coalesce(in_user, '*'), null) as j loop
    for v_trigger in
      select t.event, t.debounce_ms * interval '1 ms' as debounce, t.at_most_ms * interval '1 ms' as at_most,
        t.cancel_on
      from jobrunner.job_files as f
      cross join lateral jsonb_to_recordset(f.triggers) as t (
        event text, debounce_ms bigint, at_most_ms bigint, cancel_on text)
      where f.name = v_job.name and in_event in (t.event, t.cancel_on)
    loop
      job := v_job.name;
      if v_trigger.cancel_on = in_event then
        insert into jobrunner.armed_triggers as a (user_id, job_name, event)
        values (v_job.user_id, v_job.name, v_trigger.event)
        on conflict do nothing;
        update jobrunner.jobs as j
        set due_at = j.untriggered_due_at, untriggered_due_at = null
        where j.user_id = v_job.user_id and j.name = v_job.name and j.untriggered_due_at is not null
          and j.worker_id is null
        returning j.due_at into due_at;
        answer := case when found then 'called_off' else 'armed' end;
      else
        v_counts := v_trigger.cancel_on is null;
        if not v_counts then
          delete from jobrunner.armed_triggers as a
          where a.user_id = v_job.user_id and a.job_name = v_job.name and a.event = in_event;
          v_counts := found;
        end if;
        if v_counts then
          update jobrunner.jobs as j
          set due_at = least(
              now() + v_trigger.debounce,
              case when j.untriggered_due_at is null then now()
                else coalesce(j.triggered_at, now()) end + v_trigger.at_most,
              coalesce(j.untriggered_due_at, j.due_at)),
            untriggered_due_at = case
              when now() + v_trigger.debounce < coalesce(j.untriggered_due_at, j.due_at)
              then coalesce(j.untriggered_due_at, j.due_at)
            end,
            triggered_at = case when j.untriggered_due_at is null then now() else coalesce(j.triggered_at, now()) end,
            priority = greatest(j.priority, 0)
          where j.user_id = v_job.user_id and j.name = v_job.name and j.worker_id is null
            and j.quarantined_at is null and (j.deferred_until is null or j.deferred_until <= now());
          -- An event concerns every entity of the run that acts on it.
          update jobrunner.jobs as j
          set rerun_requested = j.worker_id is not null,
            rerun_entity = null,
            entity_requested = case when j.worker_id is not null then j.entity_requested end
          where j.user_id = v_job.user_id and j.name = v_job.name
            and (j.worker_id is not null or j.entity_requested is not null);
        end if;
        if v_counts then
          perform jobrunner.postpone_slowing(v_job);
        end if;
        answer := case
          when not v_counts then 'not_armed'
          when v_job.worker_id is not null then 'follows_running'
          when v_job.state <> 'waiting' then v_job.state
          when v_job.deferred_until > now() then 'deferred'
          else 'due'
        end;
      end if;
      select j.due_at into due_at from jobrunner.jobs as j where j.user_id = v_job.user_id and j.name = v_job.name;
      -- What a debounce is over for later, workers find when they look.
      if due_at <= now() and v_job.worker_id is null then
        v_jobs := v_jobs + 1;
        v_user_id := v_job.user_id;
        v_due_at := least(v_due_at, due_at);
      end if;
      return next;
    end loop;
  end loop;
  if v_jobs > 0 then
    perform jobrunner.wake_workers(v_due_at, in_jobs => v_jobs, in_user_id => v_user_id);
  end if;
end
$$;
comment on function jobrunner.trigger_event is 'Makes the jobs due whose files name this event, after its debounce.';
