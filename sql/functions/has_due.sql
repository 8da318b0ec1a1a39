create or replace function jobrunner.has_due(
  in_names text[]
) returns boolean
language plpgsql stable
set search_path = pg_catalog
set enable_seqscan = off
as $$
-- Whether a job of the named files waits that could be claimed now. Walks what is due until it finds one.
begin
  return exists (
    select
    from jobrunner.jobs as j
    join jobrunner.tenants as t on t.id = j.tenant_id
    where j.claimable_at <= now() and j.state = 'waiting' and j.name = any (in_names)
      and t.paused_at is null
      and (
        t.max_running is null
        or t.max_running > (select count(*) from jobrunner.jobs as r where r.limited_tenant_id = t.id)
      )
  );
end
$$;
comment on function jobrunner.has_due is 'Whether a job of some job files could be claimed now.';
