create or replace function jobrunner.tell_changes(
  in_user_ids bigint[],
  in_names text[],
  in_runs bigint[],
  in_counts jsonb[]
) returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Tells listeners on jobrunner_changed of ended runs that changed rows, where the job file wants it (ST27). Payload:
-- {"tenant", "user", "job", "run", "inserted", "updated", "deleted", "swept"}; user * is the tenant itself. Returns how
-- many it told of. Not for callers: the verbs that end runs.
-- Not in SQL: PostgreSQL would plan it anew at each call.
begin
  return (
    select count(pg_notify('jobrunner_changed', (
      jsonb_build_object('tenant', t.name, 'user', u.key, 'job', ended.name, 'run', ended.run) || ended.counts
    )::text))::integer
    from unnest(in_user_ids, in_names, in_runs, in_counts) as ended (user_id, name, run, counts)
    join jobrunner.job_files as f on f.name = ended.name and f.notifies
    join jobrunner.users as u on u.id = ended.user_id
    join jobrunner.tenants as t on t.id = u.tenant_id
  );
end
$$;
comment on function jobrunner.tell_changes is 'Notifies jobrunner_changed of runs that changed rows.';
