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
-- Stores a job file and brings its standing jobs to a new period, deadline or scope; a job that waits for its tick is not
-- due later than the new schedule says, one that backs off, was deferred or set aside waits as it did. A job of another scope begins anew under whom it stands for; rows of before stay where they are.
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
  with changed as materialized (
    select j.user_id, j.name, p.phase, jobrunner.next_tick(now(), in_every, p.phase) as next_tick
    from jobrunner.jobs as j
    cross join lateral (select jobrunner.phase_of(j.user_id, j.name, in_every, in_spread) as phase) as p
    where j.name = in_name and (j.every, j.deadline, j.phase) is distinct from (in_every, in_deadline, p.phase)
    order by j.user_id, j.name
    for no key update of j
  )
  update jobrunner.jobs as j
  set every = in_every,
    deadline = in_deadline,
    phase = c.phase,
    due_at = case
      when j.worker_id is not null or j.consecutive_failures > 0 or j.deferred_until > now()
        or j.quarantined_at is not null
      then j.due_at
      else least(j.due_at, c.next_tick)
    end,
    next_due_at = case when j.worker_id is not null then c.next_tick end
  from changed as c
  where j.user_id = c.user_id and j.name = c.name;
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
