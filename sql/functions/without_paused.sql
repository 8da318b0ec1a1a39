create or replace function jobrunner.without_paused(
  in_due jobrunner.due_tenants
) returns jobrunner.due_tenants
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- What was found, without the paused tenants, and with the weights of the others. Not for callers: the verbs that look.
declare
  v_due jobrunner.due_tenants := in_due;
  v_paused bigint[];
begin
  select array_agg(t.id) filter (where t.paused_at is not null), array_agg(t.id) filter (where t.weight <> 1),
    array_agg(t.weight) filter (where t.weight <> 1)
  into v_paused, v_due.weighted_ids, v_due.weights
  from jobrunner.restricted_tenants(in_due.tenant_ids) as t;
  v_due.has_paused := v_paused is not null;
  if v_due.has_paused then
    select array_agg(d.tenant_id), array_agg(d.lane), array_agg(d.count), array_agg(d.since), array_agg(d.user_id)
    into v_due.tenant_ids, v_due.lanes, v_due.counts, v_due.times, v_due.user_ids
    from unnest(in_due.tenant_ids, in_due.lanes, in_due.counts, in_due.times, in_due.user_ids)
      as d (tenant_id, lane, count, since, user_id)
    where d.tenant_id <> all (v_paused);
  end if;
  return v_due;
end
$$;
comment on function jobrunner.without_paused is 'What was found of tenants that are not paused. Not for callers: the verbs that look.';
