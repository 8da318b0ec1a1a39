create or replace function jobrunner.secret_names(
  in_tenant text,
  in_user text
) returns table (
  name text,
  updated_at timestamptz
)
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Which secrets a user has, or the tenant itself (user null or *), by name, and when each was stored: never a value.
-- Raises JR010, JR011.
declare
  v_tenant_id bigint := (jobrunner.tenant_named(in_tenant)).id;
  v_user_id bigint := 0;
begin
  if coalesce(in_user, '*') <> '*' then
    v_user_id := (jobrunner.user_named(in_tenant, in_user)).id;
  end if;
  return query
    select s.name, s.updated_at from jobrunner.secrets as s
    where s.tenant_id = v_tenant_id and s.user_id = v_user_id
    order by s.name;
end
$$;
comment on function jobrunner.secret_names is 'Which secrets a user or a tenant has, and since when; never a value.';
