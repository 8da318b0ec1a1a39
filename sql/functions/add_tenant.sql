create or replace function jobrunner.add_tenant(
  in_name text,
  in_weight integer default 1,
  in_max_running integer default null
) returns bigint
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Adds a tenant, returns its number. Raises JR013 when the name is taken.
declare
  v_id bigint;
begin
  insert into jobrunner.tenants (name, weight, max_running)
  values (in_name, in_weight, in_max_running)
  on conflict (name) do nothing
  returning id into v_id;
  if v_id is null then
    raise exception 'tenant ''%'' exists already', in_name using errcode = 'JR013';
  end if;
  perform jobrunner.note_act('add_tenant', in_name,
    jsonb_build_object('weight', in_weight, 'max_running', in_max_running), in_tenant_id => v_id);
  return v_id;
end
$$;
comment on function jobrunner.add_tenant is 'Adds a tenant.';
