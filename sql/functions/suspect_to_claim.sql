create or replace function jobrunner.suspect_to_claim(
  in_worker_id integer,
  in_names text[],
  out place tid,
  out tenant_id bigint
) returns record
language plpgsql volatile
set search_path = pg_catalog
set enable_seqscan = off
as $$
-- Locks the oldest due job that may have killed two workers (crash_runs), for a worker that holds no other such job; none:
-- nulls. Of a tenant at its limit, or whose turn another claim has, it takes none. Not for callers: claim_jobs.
declare
  v_limit integer;
begin
  select j.ctid, j.tenant_id, t.max_running into place, tenant_id, v_limit
  from jobrunner.jobs as j
  join jobrunner.tenants as t on t.id = j.tenant_id
  where j.crashes >= 2 and j.claimable_at <= now() and j.state = 'waiting' and j.name = any (in_names)
    and t.paused_at is null
    and not exists (select from jobrunner.jobs as h where h.crashes >= 2 and h.worker_id = in_worker_id)
    and (
      t.max_running is null
      or t.max_running > (select count(*) from jobrunner.jobs as r where r.limited_tenant_id = t.id)
    )
  order by j.claimable_at
  limit 1
  for no key update of j skip locked;
  if v_limit is not null then
    perform from jobrunner.limited_tenants as l where l.tenant_id = suspect_to_claim.tenant_id for no key update skip locked;
    if not found or 0 = (select r.room from jobrunner.rooms_of_tenants(array[suspect_to_claim.tenant_id]) as r) then
      place := null;
      tenant_id := null;
    end if;
  end if;
end
$$;
comment on function jobrunner.suspect_to_claim is 'A due job that may have killed two workers. Not for callers: claim_jobs.';
