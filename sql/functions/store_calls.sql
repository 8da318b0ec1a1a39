create or replace function jobrunner.store_calls(
  in_ends jobrunner.run_end[]
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Remembers calls that succeeded, of runs whose jobs are locked. Not for callers: finish_runs.
begin
  insert into jobrunner.call_memory as m (user_id, job_name, call, last_succeeded_at, list_hash)
  select e.user_id, e.name, c.call, now(), c.list_hash
  from unnest(in_ends) as e
  cross join lateral jsonb_to_recordset(e.calls) as c (call text, list_hash text)
  on conflict (user_id, job_name, call) do update
  set last_succeeded_at = excluded.last_succeeded_at, list_hash = excluded.list_hash;
end
$$;
comment on function jobrunner.store_calls is 'Remembers calls that came with an outcome. Not for callers: finish_runs.';
