create or replace function jobrunner.store_entity_failures(
  in_ends jobrunner.run_end[]
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Counts the failures of entities, of runs whose jobs are locked. Not for callers: finish_runs.
begin
  insert into jobrunner.checkpoints as k (
    user_id, job_name, entity, tenant_id, consecutive_failures, last_error_kind, last_error, last_error_at
  )
  select j.user_id, j.name, f.entity, j.tenant_id, 1, f.kind, f.error, now()
  from unnest(in_ends) as e
  join jobrunner.jobs as j on j.user_id = e.user_id and j.name = e.name
  cross join lateral jsonb_to_recordset(e.failures) as f (entity text, kind text, error text)
  on conflict (user_id, job_name, entity) do update
  set consecutive_failures = least(k.consecutive_failures, 2147483646) + 1,
    last_error_kind = excluded.last_error_kind,
    last_error = excluded.last_error,
    last_error_at = excluded.last_error_at;
end
$$;
comment on function jobrunner.store_entity_failures is 'Counts failures of entities. Not for callers: finish_runs.';
