create or replace function jobrunner.tenant_user(
  in_tenant text
) returns bigint
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- The user_id of the rows that a tenant's users share: select … where user_id = jobrunner.tenant_user('acme').
-- Null: the tenant has no job of scope tenant. Raises JR010.
begin
  return (
    select u.id from jobrunner.users as u
    where u.tenant_id = (jobrunner.tenant_named(in_tenant)).id and u.stands_for_tenant
  );
end
$$;
comment on function jobrunner.tenant_user is 'The user_id of the rows that all users of a tenant share.';
