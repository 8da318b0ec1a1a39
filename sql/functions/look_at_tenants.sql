create or replace function jobrunner.look_at_tenants(
  in_names text[],
  in_after bigint,
  in_count integer,
  in_since timestamptz,
  in_until timestamptz
) returns jobrunner.due_tenants
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Asks the next in_count tenants after in_after, by number, what of theirs is due since in_since, until in_until, and
-- waits: of each lane the oldest job, and up to four of them for the count (4: four or more). Costs by tenants and by
-- what of theirs runs or is dead, whatever the backlog. looked_user_id is the last tenant that was asked, is_cut
-- whether there are more. Locks nothing.
declare
  v_due jobrunner.due_tenants;
  v_ids bigint[] := array(select t.id from jobrunner.tenants as t where t.id > in_after order by t.id limit in_count);
begin
  select array_agg(d.tenant_id), array_agg(d.lane), array_agg(d.count), array_agg(d.since), array_agg(d.since_user_id)
  into v_due.tenant_ids, v_due.lanes, v_due.counts, v_due.times, v_due.user_ids
  from (
    select t.id as tenant_id, l.lane, o.count, o.since, o.since_user_id
    from unnest(v_ids) as t (id)
    cross join unnest(array[1, 0, -1]::smallint[]) as l (lane)
    cross join lateral (
      select count(*)::integer as count, min(w.claimable_at) as since, (array_agg(w.user_id))[1] as since_user_id
      from (
        select j.claimable_at, j.user_id
        from jobrunner.jobs as j
        -- By rows, as in claim_of_tenants.
        where (j.tenant_id, j.priority, j.claimable_at) >= (t.id, l.lane, in_since)
          and (j.tenant_id, j.priority, j.claimable_at) <= (t.id, l.lane, least(in_until, now()))
          and j.state = 'waiting' and j.crashes < 2 and j.name = any (in_names)
        order by j.tenant_id, j.priority, j.claimable_at, j.user_id
        limit 4
      ) as w
    ) as o
    where o.count > 0
  ) as d;
  v_due.looked_at := now();
  v_due.looked_user_id := v_ids[cardinality(v_ids)];
  v_due.is_cut := cardinality(v_ids) = in_count;
  return jobrunner.without_paused(v_due);
end
$$;
comment on function jobrunner.look_at_tenants is 'What of some tenants is due.';
