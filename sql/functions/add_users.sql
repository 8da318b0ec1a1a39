create or replace function jobrunner.add_users(
  in_tenant text,
  in_keys text[],
  in_attributes jsonb[] default null,
  in_within interval default '0'
) returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Adds the users that a tenant lacks of in_keys, each with the object at its place in in_attributes, and a standing job for each of
-- the tenant's jobs; returns how many. Users who are there already stay as they are.
-- Their first runs are spread at random over in_within from now on, at most 30 days, in a lane of their own: within the tenant
-- they come after all that is due, and they have half of a worker's slots at most, until the first of them that is complete.
-- Raises JR010, JR013 for the key *, JR017 for a span out of bounds or arrays of different lengths.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_ids bigint[];
begin
  if in_within not between interval '0' and interval '30 days' then
    raise exception 'a span of % is not from 0 to 30 days', in_within using errcode = 'JR017';
  end if;
  if cardinality(in_attributes) <> cardinality(in_keys) then
    raise exception '% keys have % attributes', cardinality(in_keys), cardinality(in_attributes) using errcode = 'JR017';
  end if;
  if '*' = any (in_keys) then
    raise exception 'user key ''*'' stands for the tenant itself' using errcode = 'JR013';
  end if;
  -- Until the end no job is given to the tenant that these users would not get (make_jobs).
  perform from jobrunner.tenants as t where t.id = v_tenant.id for share;
  with added as (
    insert into jobrunner.users (tenant_id, key, attributes)
    -- In the order of keys: two calls at once that name the same users wait for each other in one order.
    select distinct on (g.key) v_tenant.id, g.key, coalesce(g.attributes, '{}')
    from unnest(in_keys, in_attributes) as g (key, attributes)
    order by g.key
    on conflict (tenant_id, key) do nothing
    returning id
  )
  select array_agg(a.id order by a.id) into v_ids from added as a;
  insert into jobrunner.jobs (user_id, name, tenant_id, every, phase, deadline, due_at, priority, slows_at)
  select u.id, f.name, v_tenant.id, p.every, jobrunner.phase_of(u.id, f.name, p.every, f.spread), f.deadline,
    now() + random() * in_within, -1, now() + f.slow_after
  from unnest(v_ids) as u (id)
  cross join jobrunner.tenant_jobs as t
  join jobrunner.job_files as f on f.name = t.job_name
  cross join lateral (select jobrunner.period_of(u.id, v_tenant.id, f.name, f.every) as every) as p
  where t.tenant_id = v_tenant.id and f.scope = 'user'
  -- A schedule that is being changed is waited for (store_job_file).
  for share of f;
  perform jobrunner.wake_workers(now());
  return coalesce(cardinality(v_ids), 0);
end
$$;
comment on function jobrunner.add_users is 'Adds many users, whose first runs are spread over a span in a lane of their own.';
