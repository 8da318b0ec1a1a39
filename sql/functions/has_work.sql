create or replace function jobrunner.has_work(
  in_names text[]
) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
-- Whether a job of the named files runs, or waits and could be claimed now. Walks what is due until it finds one, but
-- only where none runs. It sees one snapshot, in which a job that a claim takes meanwhile still waits.
begin
  return case
    when exists (select from jobrunner.held_jobs() as h where h.name = any (in_names)) then true
    else exists (
      select
      from jobrunner.jobs as j
      join jobrunner.tenants as t on t.id = j.tenant_id
      where j.claimable_at <= now() and j.name = any (in_names) and j.state = 'waiting' and t.paused_at is null
        and (t.max_running is null or t.max_running > jobrunner.running_of_tenant(t.id))
    )
  end;
end
$$;
comment on function jobrunner.has_work is 'Whether a job of some job files runs, or could be claimed now.';
