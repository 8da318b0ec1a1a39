create or replace function jobrunner.tell_events(
  in_kind text,
  in_user_ids bigint[],
  in_names text[],
  in_runs bigint[],
  in_entity text default null,
  in_details jsonb[] default null
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Writes an event for each of these runs whose job file asks for its kind, and notifies jobrunner_event with the
-- numbers of tenant and user: every login of the database may listen, and learns nothing from them. Nobody is notified
-- while the queue of notifications is more than half full. In the transaction of what is told, so that both are there
-- or neither is. Returns how many. Not for callers: the verbs of runs.
declare
  v_count integer;
begin
  with told as (
    insert into jobrunner.events (tenant_id, user_id, job_name, entity, run, kind, detail)
    select u.tenant_id, u.id, r.name, in_entity, r.run, in_kind, coalesce(r.detail, '{}')
    from unnest(in_user_ids, in_names, in_runs, in_details) as r (user_id, name, run, detail)
    join jobrunner.job_files as f on f.name = r.name and f.events <> '{}'
    join jobrunner.users as u on u.id = r.user_id
    where case in_kind
        when 'duplicates_found' then 'duplicates' when 'conflict_decided' then 'conflicts' when 'zone_made' then 'zones'
        when 'trouble_began' then 'trouble' when 'trouble_ended' then 'trouble' when 'recovering' then 'trouble'
          else 'sync'
      end = any (f.events)
    returning tenant_id, user_id
  )
  select count(jobrunner.notify('jobrunner_event', concat_ws(':', e.tenant_id, e.user_id), in_fullest => 0.5))
  into v_count
  from told as e;
  return v_count;
end
$$;
comment on function jobrunner.tell_events is 'Tells applications of runs whose job file asks for it. Not for callers: the verbs of runs.';
