create or replace function jobrunner.add_secrets(
  in_tenant_id bigint,
  in_user_ids bigint[],
  in_names text[],
  in_sealed bytea[],
  out added integer,
  out woken integer
)
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Stores sealed secrets of many users, each for the user at its place in in_user_ids, and wakes the jobs that waited
-- for one. A secret that a user has already stays as it is: its source may have replaced it since. Raises JR011, and
-- JR017 as set_secret does or for arrays of different lengths. Locks the users, then jobs, by id.
declare
  v_user_ids bigint[] := array(select distinct g.id from unnest(in_user_ids) as g (id) order by g.id);
  v_found integer;
  v_changed bigint[];
begin
  if cardinality(in_names) <> cardinality(in_user_ids) or cardinality(in_sealed) <> cardinality(in_user_ids) then
    raise exception '% users have % names and % secrets', cardinality(in_user_ids), cardinality(in_names),
      cardinality(in_sealed)
      using errcode = 'JR017';
  end if;
  perform jobrunner.check_sealed(in_tenant_id, g.name, g.sealed) from unnest(in_names, in_sealed) as g (name, sealed);
  perform from jobrunner.users as u where u.id = any (v_user_ids) and u.tenant_id = in_tenant_id
    order by u.id for no key update;
  get diagnostics v_found = row_count;
  if v_found <> cardinality(v_user_ids) then
    raise exception 'tenant % lacks % of the users', in_tenant_id, cardinality(v_user_ids) - v_found
      using errcode = 'JR011',
      hint = 'They were removed meanwhile.';
  end if;
  perform
  from jobrunner.jobs as j
  where jobrunner.awaits_secret(j) and j.user_id = any (v_user_ids)
  order by j.user_id, j.name
  for no key update;
  with stored as (
    insert into jobrunner.secrets (tenant_id, user_id, name, sealed, current_since)
    select in_tenant_id, g.id, g.name, g.sealed, now()
    from unnest(in_user_ids, in_names, in_sealed) as g (id, name, sealed)
    order by g.id, g.name
    on conflict (user_id, tenant_id, name) do nothing
    returning user_id
  )
  select array_agg(distinct s.user_id), count(*) into v_changed, added from stored as s;
  woken := jobrunner.after_secrets(in_tenant_id, coalesce(v_changed, '{}'), false);
  perform jobrunner.note_act('add_secrets', null, jsonb_build_object('secrets', added, 'users', cardinality(v_changed),
    'names', array(select distinct g.name from unnest(in_names) as g (name) order by 1)), in_tenant_id => in_tenant_id);
end
$$;
comment on function jobrunner.add_secrets is 'Stores sealed secrets of many users, those that they lack, and wakes the jobs that waited for one.';
