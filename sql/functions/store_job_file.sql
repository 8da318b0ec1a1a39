drop function if exists jobrunner.store_job_file(
  text, text, text, interval, boolean, interval, double precision, jsonb, text, boolean, interval, interval, jsonb
);
create or replace function jobrunner.store_job_file(
  in_name text,
  in_kind text,
  in_source text,
  in_every interval,
  in_spread boolean,
  in_deadline interval,
  in_per_second double precision,
  in_expanded jsonb,
  in_scope text default 'user',
  in_notifies boolean default false,
  in_soft interval default null,
  in_hard interval default null,
  in_triggers jsonb default '[]',
  in_slow_after interval default null,
  in_slow_every interval default null,
  in_is_scheduled boolean default true
) returns boolean
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Stores a job file and brings its standing jobs to a new period, deadline or scope. A job of another scope begins anew under
-- whom it stands for; rows of before stay where they are.
-- in_triggers: [{event, debounce_ms, cancel_on}]. in_is_scheduled false: the caller brings the jobs to the new schedule, in pieces
-- (schedule_next_jobs). Returns whether anything changed.
declare
  v_scope text := (select f.scope from jobrunner.job_files as f where f.name = in_name);
begin
  insert into jobrunner.job_files as f (
    name, kind, source, every, spread, deadline, per_second, expanded, scope, notifies, soft, hard, triggers,
    slow_after, slow_every
  )
  values (
    in_name, in_kind, in_source, in_every, in_spread, in_deadline, in_per_second, in_expanded, in_scope, in_notifies,
    in_soft, in_hard, in_triggers, in_slow_after, in_slow_every
  )
  on conflict (name) do update
  set kind = excluded.kind,
    source = excluded.source,
    every = excluded.every,
    spread = excluded.spread,
    deadline = excluded.deadline,
    per_second = excluded.per_second,
    expanded = excluded.expanded,
    scope = excluded.scope,
    notifies = excluded.notifies,
    soft = excluded.soft,
    hard = excluded.hard,
    triggers = excluded.triggers,
    slow_after = excluded.slow_after,
    slow_every = excluded.slow_every,
    loaded_at = now()
  where (
      f.kind, f.source, f.every, f.spread, f.deadline, f.per_second, f.expanded, f.scope, f.notifies, f.soft, f.hard,
      f.triggers, f.slow_after, f.slow_every
    ) is distinct from (
      excluded.kind, excluded.source, excluded.every, excluded.spread, excluded.deadline, excluded.per_second,
      excluded.expanded, excluded.scope, excluded.notifies, excluded.soft, excluded.hard, excluded.triggers,
      excluded.slow_after, excluded.slow_every
    );
  if not found then
    return false;
  end if;
  insert into jobrunner.sources (tenant_id, name, tokens)
  select t.tenant_id, in_source, coalesce(in_per_second, 0) from jobrunner.tenant_jobs as t where t.job_name = in_name
  on conflict do nothing;
  if in_is_scheduled then
    perform jobrunner.schedule_jobs(in_name);
  else
    update jobrunner.job_files as f set unscheduled_after_user_id = -1 where f.name = in_name;
  end if;
  if v_scope <> in_scope then
    delete from jobrunner.jobs as j where j.name = in_name;
    delete from jobrunner.checkpoints as k where k.job_name = in_name;
    delete from jobrunner.call_memory as m where m.job_name = in_name;
    perform jobrunner.make_jobs(t.tenant_id, in_name) from jobrunner.tenant_jobs as t where t.job_name = in_name;
  end if;
  return true;
end
$$;
comment on function jobrunner.store_job_file is 'Stores a job file and brings its standing jobs up to date.';
