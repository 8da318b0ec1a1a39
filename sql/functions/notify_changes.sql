create or replace function jobrunner.notify_changes(
  in_user_ids bigint[],
  in_names text[],
  in_runs bigint[],
  in_counters jobrunner.counters[]
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Tells listeners on jobrunner_changed of those ended runs that changed rows, where the job file wants it. Payload:
-- tenant:user:run, the numbers of all three: every login of the database may listen, and learns nothing from them.
-- Returns how many it told of: none while the queue of notifications is more than half full.
-- Not for callers: end_claims.
begin
  return (
    select count(*) filter (where jobrunner.notify(
      'jobrunner_changed', concat_ws(':', u.tenant_id, u.id, ended.run), in_fullest => 0.5
    ))::integer
    from (
      select in_user_ids[p.number] as user_id, in_names[p.number] as name, in_runs[p.number] as run,
        in_counters[p.number] as counters
      from generate_subscripts(in_runs, 1) as p (number)
    ) as ended
    join jobrunner.job_files as f on f.name = ended.name and f.notifies
    join jobrunner.users as u on u.id = ended.user_id
    where jobrunner.changed_rows(ended.counters) > 0
  );
end
$$;
comment on function jobrunner.notify_changes is 'Notifies jobrunner_changed of runs that changed rows.';
