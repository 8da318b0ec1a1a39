create or replace function jobrunner.store_push_counters(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_fence bigint,
  in_pushed bigint,
  in_failed bigint,
  in_swept bigint
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Counts what a run brought to the source, what was refused, and what it deleted as too old; called in the same
-- transaction as the rows it counts, after hold_job. Returns true; the counters of an earlier run are begun anew.
declare
  v_counters jobrunner.counters := jobrunner.make_counters(pushed => in_pushed, push_failed => in_failed,
    swept => in_swept);
begin
  insert into jobrunner.checkpoints as k (user_id, job_name, entity, tenant_id, run_fence, counters)
  select in_user_id, in_name, in_entity, j.tenant_id, in_fence, v_counters
  from jobrunner.jobs as j
  where j.user_id = in_user_id and j.name = in_name
  on conflict (user_id, job_name, entity) do update
  set run_fence = in_fence,
    counters = jobrunner.counted_on(k, in_fence, v_counters);
  return true;
end
$$;
comment on function jobrunner.store_push_counters is
  'Adds pushed, refused and swept rows to the counters of a run, in the transaction that changed them.';
