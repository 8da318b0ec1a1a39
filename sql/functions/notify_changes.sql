create or replace function jobrunner.notify_changes(
  in_user_ids bigint[],
  in_names text[],
  in_runs bigint[],
  in_counters jobrunner.counters[]
) returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Tells listeners on jobrunner_changed of those ended runs that changed rows, where the job file wants it. Payload:
-- {"tenant", "user", "job", "run", "inserted", "updated", "deleted", "swept"}; user * is the tenant itself. Returns how
-- many it told of: none while the queue of notifications is more than half full. Not for callers: end_claims.
begin
  return (
    select count(*) filter (where jobrunner.notify('jobrunner_changed', jsonb_build_object(
      'tenant', t.name, 'user', u.key, 'job', ended.name, 'run', ended.run,
      'inserted', (ended.counters).inserted, 'updated', (ended.counters).updated,
      'deleted', (ended.counters).deleted, 'swept', (ended.counters).swept
    )::text, in_fullest => 0.5))::integer
    from (
      select in_user_ids[p.number] as user_id, in_names[p.number] as name, in_runs[p.number] as run,
        in_counters[p.number] as counters
      from generate_subscripts(in_runs, 1) as p (number)
    ) as ended
    join jobrunner.job_files as f on f.name = ended.name and f.notifies
    join jobrunner.users as u on u.id = ended.user_id
    join jobrunner.tenants as t on t.id = u.tenant_id
    where jobrunner.changed_rows(ended.counters) > 0
  );
end
$$;
comment on function jobrunner.notify_changes is 'Notifies jobrunner_changed of runs that changed rows.';
