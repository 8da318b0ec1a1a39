create or replace function jobrunner.look_due(
  in_look integer,
  in_names text[],
  in_since timestamptz,
  in_since_user_id bigint,
  in_until timestamptz
) returns jobrunner.claim_look
language plpgsql volatile
set search_path = pg_catalog
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
-- The jobs of these files that became due after (in_since, in_since_user_id) and until in_until, and wait, of the oldest in_look jobs.
-- Those of paused tenants are left out: resume_jobs says from when on they are due.
-- Locks nothing. Not for callers: claim_jobs, pick_due.
declare
  v_look jobrunner.claim_look;
  v_until timestamptz := least(in_until, now());
  v_paused bigint[];
begin
  select count(*), max(w.claimable_at), array_agg(w.tenant_id) filter (where w.is_ours),
    array_agg(w.claimable_at) filter (where w.is_ours), array_agg(w.user_id) filter (where w.is_ours),
    array_agg(w.priority) filter (where w.is_ours), array_agg(w.ctid) filter (where w.is_ours),
    (array_agg(w.user_id))[count(*)] - 1
  into v_look.looked_count, v_look.looked_at, v_look.tenant_ids, v_look.times, v_look.user_ids, v_look.priorities, v_look.places,
    v_look.looked_user_id
  from (
    select j.user_id, j.tenant_id, j.claimable_at, j.priority, j.ctid,
      j.state = 'waiting' and j.crashes < 2 and j.name = any (in_names) as is_ours
    from jobrunner.jobs as j
    where (j.claimable_at, j.user_id) > (in_since, in_since_user_id) and j.claimable_at <= v_until
    order by j.claimable_at, j.user_id
    limit in_look
  ) as w;
  if v_look.looked_count < in_look then
    v_look.looked_at := v_until;
    v_look.looked_user_id := 9223372036854775807;
  end if;
  if v_look.tenant_ids is not null and exists (
    select
    from jobrunner.tenants as t
    where t.paused_at is not null or t.max_running is not null or t.weight <> 1
  ) then
    select array_agg(t.id) filter (where t.weight <> 1), array_agg(t.weight) filter (where t.weight <> 1),
      array_agg(t.id) filter (where t.paused_at is not null)
    into v_look.apart_ids, v_look.apart_weights, v_paused
    from jobrunner.tenants as t
    where t.id = any (array(select distinct f.id from unnest(v_look.tenant_ids) as f (id)))
      and (t.paused_at is not null or t.max_running is not null or t.weight <> 1) and (t.weight <> 1 or t.paused_at is not null);
  end if;
  if v_paused is not null then
    select array_agg(f.tenant_id), array_agg(f.claimable_at), array_agg(f.user_id), array_agg(f.priority), array_agg(f.ctid)
    into v_look.tenant_ids, v_look.times, v_look.user_ids, v_look.priorities, v_look.places
    from unnest(v_look.tenant_ids, v_look.times, v_look.user_ids, v_look.priorities, v_look.places)
      as f (tenant_id, claimable_at, user_id, priority, ctid)
    where f.tenant_id <> all (v_paused);
  end if;
  return v_look;
end
$$;
comment on function jobrunner.look_due is 'What became due and waits. Not for callers: claim_jobs, pick_due.';
