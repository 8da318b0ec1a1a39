create or replace function jobrunner.look_due(
  in_names text[],
  in_since timestamptz,
  in_since_user_id bigint
) returns jobrunner.due_tenants
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- The tenants of whom jobs of these files became due from (in_since, in_since_user_id) on, and wait, of the oldest
-- 1,000 entries of jobs_due. Those of paused tenants are left out: resume_jobs announces them. Locks nothing.
declare
  v_due jobrunner.due_tenants;
  v_count integer;
  v_last_at timestamptz;
  v_last_user_id bigint;
begin
  with entries as materialized (
    select j.user_id, j.tenant_id, j.priority, j.claimable_at,
      j.state = 'waiting' and j.crashes < 2 and j.name = any (in_names) as is_ours
    from jobrunner.jobs as j
    where (j.claimable_at, j.user_id) >= (in_since, in_since_user_id) and j.claimable_at <= now()
    order by j.claimable_at, j.user_id
    limit 1000
  ), lanes as (
    select e.tenant_id, e.priority, count(*)::integer as count, min(e.claimable_at) as since,
      (array_agg(e.user_id order by e.claimable_at, e.user_id))[1] as since_user_id
    from entries as e
    where e.is_ours
    group by e.tenant_id, e.priority
  )
  select l.ids, l.priorities, l.counts, l.times, l.user_ids, e.count, e.last_at, e.last_user_id
  into v_due.tenant_ids, v_due.lanes, v_due.counts, v_due.times, v_due.user_ids, v_count, v_last_at, v_last_user_id
  from (
    select array_agg(l.tenant_id) as ids, array_agg(l.priority) as priorities, array_agg(l.count) as counts,
      array_agg(l.since) as times, array_agg(l.since_user_id) as user_ids
    from lanes as l
  ) as l
  cross join (
    select count(*) as count, max(e.claimable_at) as last_at, (array_agg(e.user_id))[count(*)] as last_user_id
      from entries as e
  ) as e;
  -- Where nothing was cut off, all until now is seen. Else the last entry is looked at again: of its user several jobs
  -- may be due.
  v_due.is_cut := v_count = 1000;
  v_due.looked_at := case when v_due.is_cut then v_last_at else now() end;
  v_due.looked_user_id := case when v_due.is_cut then v_last_user_id else 9223372036854775807 end;
  return jobrunner.without_paused(v_due);
end
$$;
comment on function jobrunner.look_due is 'Tenants of whom something became due.';
