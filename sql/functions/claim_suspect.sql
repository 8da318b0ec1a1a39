create or replace function jobrunner.claim_suspect(
  in_worker_id integer,
  in_names text[]
) returns jobrunner.claimed_job[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
-- Gives a worker the oldest due job that may have killed two workers (crash_runs), if it holds no other such job, so
-- that a third death has one culprit. Of a tenant that is paused, at its limit, or whose turn another claim has, it
-- takes none, but the next one's. At most one.
-- Raises JR003 and locks as claim_of_tenants does.
declare
  v_suspect record;
  v_jobs jobrunner.claimed_job[];
  v_capacity jobrunner.remaining_capacity;
  v_full bigint[] := '{}';
begin
  if not exists (
    select from jobrunner.jobs as j where j.crashes >= 2 and j.claimable_at <= now() and j.state = 'waiting'
      and j.name = any (in_names)
  ) then
    return '{}';
  end if;
  perform jobrunner.hold_worker(in_worker_id);
  if exists (select from jobrunner.jobs as h where h.crashes >= 2 and h.worker_id = in_worker_id) then
    return '{}';
  end if;
  loop
    select j.ctid, j.tenant_id into v_suspect
    from jobrunner.jobs as j
    join jobrunner.tenants as t on t.id = j.tenant_id
    where j.crashes >= 2 and j.claimable_at <= now() and j.state = 'waiting' and j.name = any (in_names)
      and t.paused_at is null
      and j.tenant_id <> all (v_full)
    order by j.claimable_at
    limit 1
    for no key update of j skip locked;
    -- A tenant without room costs a look each, so that a few are enough for one call.
    if not found or cardinality(v_full) >= 10 then
      return '{}';
    end if;
    select c.* into v_capacity from jobrunner.remaining_capacity(array[v_suspect.tenant_id]) as c;
    exit when not found or v_capacity.room > 0;
    v_full := v_full || v_suspect.tenant_id;
  end loop;
  v_jobs := jobrunner.take_jobs(in_worker_id, array[v_suspect.ctid]);
  insert into jobrunner.limited_runs (tenant_id, user_id, name, fence)
  select j.tenant_id, j.user_id, j.name, j.fence from unnest(v_jobs) as j where v_capacity.state = 'limited';
  return v_jobs;
end
$$;
comment on function jobrunner.claim_suspect is 'Gives a worker a job that may have killed two workers.';
