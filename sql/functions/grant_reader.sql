create or replace function jobrunner.grant_reader() returns text[]
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Lets role jobrunner_reader see the operators' views and the history, and no secret: grants what it lacks, for a grant
-- writes even when it changes nothing. The role is an administrator's to make: it is the server's, and whoever may make
-- roles may give themselves others. Returns what it granted; null: there is no such role.
declare
  v_reader oid := (select r.oid from pg_roles as r where r.rolname = 'jobrunner_reader');
  v_relations constant text[] := array[
    'late_jobs', 'failing_jobs', 'running_jobs', 'entity_progress', 'checkpoint_inputs', 'tenant_freshness', 'worker_health', 'quarantined_jobs',
    'user_story', 'blocked_sources', 'job_overview', 'jobs_in_trouble', 'kinds_of_trouble', 'tenant_shares', 'waiting_reasons', 'gauges', 'raised_alerts',
    'tenants', 'jobs', 'checkpoints', 'runs', 'workers', 'claims', 'sources', 'job_files', 'tenant_jobs', 'chores', 'periods',
    'slot_use', 'waiting_counts', 'trouble_counts', 'freshness_counts', 'swept_counts', 'migrations', 'applied_code'
  ];
  -- What the views call: a server may be set up so that nobody may call a function unless it is granted.
  v_functions constant text[] := array[
    'describe_counters', 'endless_at', 'has_other_file', 'held_jobs', 'is_fruitless', 'other_files', 'phase_of', 'session_figures',
    'words_for'
  ];
  v_granted text[] := '{}';
  v_name text;
begin
  if v_reader is null then
    return null;
  end if;
  if not has_schema_privilege(v_reader, 'jobrunner', 'usage') then
    grant usage on schema jobrunner to jobrunner_reader;
    v_granted := v_granted || 'schema jobrunner'::text;
  end if;
  foreach v_name in array v_relations loop
    if not has_table_privilege(v_reader, format('jobrunner.%I', v_name), 'select') then
      execute format('grant select on jobrunner.%I to jobrunner_reader', v_name);
      v_granted := v_granted || v_name;
    end if;
  end loop;
  if not has_column_privilege(v_reader, 'jobrunner.users', 'key', 'select') then
    grant select (id, tenant_id, key, paused_at, created_at) on jobrunner.users to jobrunner_reader;
    v_granted := v_granted || 'users'::text;
  end if;
  for v_name in
    select p.proname from pg_proc as p
    where p.pronamespace = 'jobrunner'::regnamespace and p.proname = any (v_functions)
      and not has_function_privilege(v_reader, p.oid, 'execute')
  loop
    execute format('grant execute on function jobrunner.%I to jobrunner_reader', v_name);
    v_granted := v_granted || v_name;
  end loop;
  return v_granted;
end
$$;
comment on function jobrunner.grant_reader is 'Gives role jobrunner_reader the views and the history, and no secret.';
