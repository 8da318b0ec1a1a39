create or replace function jobrunner.store_job_file(
  in_name text,
  in_kind text,
  in_source text,
  in_every interval,
  in_spread boolean,
  in_deadline interval,
  in_per_second double precision,
  in_expanded jsonb
) returns boolean
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Stores a job file and brings its standing jobs to a new period or deadline; a job is not due later than the new
-- schedule says. Returns whether anything changed.
begin
  insert into jobrunner.job_files as f (name, kind, source, every, spread, deadline, per_second, expanded)
  values (in_name, in_kind, in_source, in_every, in_spread, in_deadline, in_per_second, in_expanded)
  on conflict (name) do update
  set kind = excluded.kind,
    source = excluded.source,
    every = excluded.every,
    spread = excluded.spread,
    deadline = excluded.deadline,
    per_second = excluded.per_second,
    expanded = excluded.expanded,
    loaded_at = now()
  where (f.kind, f.source, f.every, f.spread, f.deadline, f.expanded)
      is distinct from (excluded.kind, excluded.source, excluded.every, excluded.spread, excluded.deadline, excluded.expanded)
    or f.per_second is distinct from excluded.per_second;
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
    )
  where j.name = in_name
    and (j.every, j.deadline, j.phase)
      is distinct from (in_every, in_deadline, jobrunner.phase_of(j.user_id, j.name, in_every, in_spread));
  return true;
end
$$;
comment on function jobrunner.store_job_file is 'Stores a job file and brings its standing jobs up to date.';
