create or replace function jobrunner.count_limited_jobs() returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Marks the running jobs of tenants with max_running, and no others, as counted towards it; returns how many it changed.
-- A job that somebody's transaction holds is left to the next call. Not for callers: settle_limits, reconcile_jobs.
declare
  v_count integer;
begin
  with wrong as materialized (
    select j.user_id, j.name, case when t.max_running is not null then j.tenant_id end as limited_tenant_id
    from jobrunner.held_jobs() as h
    join jobrunner.tenants as t on t.id = h.tenant_id
    join jobrunner.jobs as j on j.user_id = h.user_id and j.name = h.name
    where j.worker_id is not null and (j.limited_tenant_id is null) = (t.max_running is not null)
    order by j.user_id, j.name
    for no key update of j skip locked
  )
  update jobrunner.jobs as j
  set limited_tenant_id = w.limited_tenant_id
  from wrong as w
  where j.user_id = w.user_id and j.name = w.name;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
comment on function jobrunner.count_limited_jobs is
  'Counts running jobs towards their tenants'' max_running. Not for callers: settle_limits, reconcile_jobs.';
