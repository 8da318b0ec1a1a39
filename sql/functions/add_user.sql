create or replace function jobrunner.add_user(
  in_tenant text,
  in_key text,
  in_attributes jsonb default '{}'
) returns bigint
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Adds a user with a standing job for each of its tenant's jobs, due at once; returns its number.
-- Raises JR010, or JR013 when the key is taken or *, which stands for the tenant itself.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_id bigint;
begin
  if in_key = '*' then
    raise exception 'user key ''*'' stands for the tenant itself' using errcode = 'JR013';
  end if;
  -- Until the end no job is given to the tenant that this user would not get (make_jobs).
  perform from jobrunner.tenants as t where t.id = v_tenant.id for share;
  insert into jobrunner.users (tenant_id, key, attributes)
  values (v_tenant.id, in_key, in_attributes)
  on conflict (tenant_id, key) do nothing
  returning id into v_id;
  if v_id is null then
    raise exception 'tenant ''%'' has a user ''%'' already', in_tenant, in_key using errcode = 'JR013';
  end if;
  perform jobrunner.wake_workers(now(), in_jobs => jobrunner.insert_jobs(array[v_id]), in_user_id => v_id);
  perform jobrunner.note_act('add_user', null,
    jsonb_build_object('attributes', array(select k.name from jsonb_object_keys(in_attributes) as k (name) order by 1)),
    in_tenant_id => v_tenant.id, in_user_id => v_id);
  return v_id;
end
$$;
comment on function jobrunner.add_user is 'Adds a user and its standing jobs.';
