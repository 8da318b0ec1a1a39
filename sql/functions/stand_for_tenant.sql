create or replace function jobrunner.stand_for_tenant(
  in_tenant_id bigint
) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- The user row under which a tenant's own jobs stand, made where it is missing. Not for callers: give_job and
-- store_job_file make it, tenant_user tells it.
declare
  v_id bigint;
begin
  insert into jobrunner.users (tenant_id, key, stands_for_tenant)
  values (in_tenant_id, '*', true)
  on conflict (tenant_id, key) do nothing;
  select u.id into v_id from jobrunner.users as u where u.tenant_id = in_tenant_id and u.key = '*';
  return v_id;
end
$$;
comment on function jobrunner.stand_for_tenant is 'The user row that stands for a tenant, made where it is missing.';
