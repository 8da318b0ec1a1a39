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
  in_triggers jsonb default '[]'
) returns boolean
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Stores a job file and brings its standing jobs to a new period, deadline or scope; a job is not due later than the
-- new schedule says. A job of another scope begins anew under whom it stands for; rows of before stay where they are.
-- in_triggers: [{event, debounce_ms, cancel_on}]. Returns whether anything changed.
declare
  v_scope text := (select f.scope from jobrunner.job_files as f where f.name = in_name);
begin
  insert into jobrunner.job_files as f (
    name, kind, source, every, spread, deadline, per_second, expanded, scope, notifies, soft, hard, triggers
  )
  values (
    in_name, in_kind, in_source, in_every, in_spread, in_deadline, in_per_second, in_expanded, in_scope, in_notifies,
    in_soft, in_hard, in_triggers
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
    loaded_at = now()
  where (
      f.kind, f.source, f.every, f.spread, f.deadline, f.per_second, f.expanded, f.scope, f.notifies, f.soft, f.hard,
      f.triggers
    ) is distinct from (
      excluded.kind, excluded.source, excluded.every, excluded.spread, excluded.deadline, excluded.per_second,
      excluded.expanded, excluded.scope, excluded.notifies, excluded.soft, excluded.hard, excluded.triggers
    );
  if not found then
    return false;
  end if;
  insert into jobrunner.sources (tenant_id, name, tokens)
  select t.tenant_id, in_source, coalesce(in_per_second, 0) from jobrunner.tenant_jobs as t where t.job_name = in_name
  on conflict do nothing;
  update jobrunner.jobs as j
  set every = in_every,
    deadline = in_deadline,
    phase = jobrunner.phase_of(j.user_id, j.name, in_every, in_spread),
    due_at = least(
      j.due_at,
      jobrunner.next_tick(now(), in_every, jobrunner.phase_of(j.user_id, j.name, in_every, in_spread))
    ),
    next_due_at = case
      when j.worker_id is not null
      then jobrunner.next_tick(now(), in_every, jobrunner.phase_of(j.user_id, j.name, in_every, in_spread))
    end
  where j.name = in_name
    and (j.every, j.deadline, j.phase)
      is distinct from (in_every, in_deadline, jobrunner.phase_of(j.user_id, j.name, in_every, in_spread));
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
