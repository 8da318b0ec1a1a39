create or replace function jobrunner.has_work(
  in_names text[]
) returns boolean
language plpgsql stable
set search_path = pg_catalog
set enable_seqscan = off
as $$
-- Whether a job of the named files runs, or waits and could be claimed now. Walks what is due until it finds one. What runs is
-- found by its due time, as in held_jobs.
declare
  -- Not now(): a job may have become due, and been claimed, since this began.
  v_until timestamptz := clock_timestamp();
begin
  select case when c.latest_at > now() then c.latest_at + interval '2 minutes' else v_until end into v_until
  from jobrunner.chores as c where c.name = 'reconcile';
  return exists (
    select
    from jobrunner.jobs as j
    join jobrunner.tenants as t on t.id = j.tenant_id
    where j.claimable_at <= v_until and j.name = any (in_names)
      and (
        j.worker_id is not null
        or j.claimable_at <= now() and j.state = 'waiting' and t.paused_at is null
        and (
          t.max_running is null
          or t.max_running > (select count(*) from jobrunner.jobs as r where r.limited_tenant_id = t.id)
        )
      )
  );
end
$$;
comment on function jobrunner.has_work is 'Whether a job of some job files runs, or could be claimed now.';
