create or replace function jobrunner.add_users(
  in_tenant text,
  in_keys text[],
  in_attributes jsonb[] default null,
  in_within interval default '0'
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Adds the users that a tenant lacks of in_keys, each with the object at its place in in_attributes, and a standing job
-- for each of the tenant's jobs; returns how many. Users who are there already stay as they are.
-- Their first runs are spread at random over in_within from now on, at most 30 days, in a lane of their own. Within the
-- tenant they come after all that is due, and they have half of a worker's slots at most, until the first of them that
-- is complete.
-- Raises JR010, JR013 for the key *, JR017 for a span out of bounds or arrays of different lengths.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_ids bigint[];
begin
  if cardinality(in_attributes) <> cardinality(in_keys) then
    raise exception '% keys have % attributes', cardinality(in_keys), cardinality(in_attributes)
      using errcode = 'JR017';
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
  perform jobrunner.insert_jobs(v_ids, in_within => in_within, in_priority => -1::smallint);
  perform jobrunner.wake_workers(now());
  perform jobrunner.note_act('add_users', null, jsonb_build_object('users', coalesce(cardinality(v_ids), 0)),
    in_tenant_id => v_tenant.id);
  return coalesce(cardinality(v_ids), 0);
end
$$;
comment on function jobrunner.add_users is 'Adds many users, whose first runs are spread over a span in a lane of their own.';
