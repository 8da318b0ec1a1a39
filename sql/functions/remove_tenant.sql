create or replace function jobrunner.remove_tenant(
  in_name text
) returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Removes a tenant with its users and all rows that are theirs; returns how many users. Raises JR010.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_name);
  v_users bigint[];
  v_count integer;
begin
  delete from jobrunner.secrets where tenant_id = v_tenant.id;
  delete from jobrunner.renewals where tenant_id = v_tenant.id;
  select coalesce(array_agg(u.id), '{}'), count(*) filter (where not u.stands_for_tenant) into v_users, v_count
  from jobrunner.users as u where u.tenant_id = v_tenant.id;
  perform jobrunner.remove_users(v_users);
  delete from jobrunner.tenant_jobs where tenant_id = v_tenant.id;
  delete from jobrunner.waiting_counts where tenant_id = v_tenant.id;
  delete from jobrunner.sources where tenant_id = v_tenant.id;
  delete from jobrunner.tenants where id = v_tenant.id;
  return v_count;
end
$$;
comment on function jobrunner.remove_tenant is 'Removes a tenant and everything that is its own.';
