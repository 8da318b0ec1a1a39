create or replace function jobrunner.store_job_file(
  in_file jsonb,
  in_is_scheduled boolean default true
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Stores a job file and brings its standing jobs to a new period, deadline or scope. A job of another scope begins anew
-- under whom it stands for; rows of before stay where they are.
-- in_file: the columns of job_files by their names. in_is_scheduled false: the caller brings the jobs to the new
-- schedule, in pieces (schedule_next_jobs). Returns whether anything changed.
declare
  v_file jobrunner.job_files := jsonb_populate_record(
    null::jobrunner.job_files,
    '{"scope": "user", "notifies": false, "triggers": [], "columns_changed": {}, "events": [], "version": 0}'::jsonb || in_file || jsonb_build_object('loaded_at', now())
  );
  v_old jobrunner.job_files := (select f from jobrunner.job_files as f where f.name = v_file.name);
begin
  insert into jobrunner.job_files as f select v_file.*
  on conflict (name) do update
  set (source, every, spread, deadline, per_second, expanded, scope, notifies, soft, hard, triggers, slow_after,
    slow_every,
    events, version, loaded_at) = row (
      excluded.source, excluded.every, excluded.spread, excluded.deadline, excluded.per_second,
        excluded.expanded,
      excluded.scope, excluded.notifies, excluded.soft, excluded.hard, excluded.triggers, excluded.slow_after,
      excluded.slow_every, excluded.events, excluded.version, excluded.loaded_at
    )
  where to_jsonb(f) - '{loaded_at, unscheduled_after_user_id, columns_changed}'::text[]
    is distinct from to_jsonb(excluded) - '{loaded_at, unscheduled_after_user_id, columns_changed}'::text[];
  if not found then
    return false;
  end if;
  update jobrunner.job_files as f
  set columns_changed = f.columns_changed || jobrunner.changed_columns(v_old.expanded, f.expanded)
  where f.name = v_file.name and v_old.expanded is not null;
  insert into jobrunner.sources (tenant_id, name, tokens)
  select t.tenant_id, v_file.source, coalesce(v_file.per_second, 0) from jobrunner.tenant_jobs as t
    where t.job_name = v_file.name
  on conflict do nothing;
  if in_is_scheduled then
    perform jobrunner.schedule_jobs(v_file.name);
  else
    update jobrunner.job_files as f set unscheduled_after_user_id = -1 where f.name = v_file.name;
  end if;
  perform jobrunner.look_again(v_file);
  if v_old.scope <> v_file.scope then
    delete from jobrunner.jobs as j where j.name = v_file.name;
    delete from jobrunner.checkpoints as k where k.job_name = v_file.name;
    delete from jobrunner.call_memory as m where m.job_name = v_file.name;
    perform jobrunner.make_jobs(t.tenant_id, v_file.name) from jobrunner.tenant_jobs as t
      where t.job_name = v_file.name;
  end if;
  perform jobrunner.note_act('store_job_file', v_file.name, jsonb_build_object('is_new', v_old.name is null));
  return true;
end
$$;
comment on function jobrunner.store_job_file is 'Stores a job file and brings its standing jobs up to date.';
