create or replace function jobrunner.remove_user(
  in_tenant text,
  in_key text
) returns void
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Removes a user and all rows that are its own, the synced ones included. Raises JR010, JR011; what stands for the
-- tenant goes with the tenant.
begin
  if in_key = '*' then
    raise exception 'user key ''*'' stands for tenant ''%'' itself', in_tenant using errcode = 'JR011',
      hint = 'Remove the tenant, or take its job file away.';
  end if;
  perform jobrunner.remove_users(array[(jobrunner.user_named(in_tenant, in_key)).id]);
end
$$;
comment on function jobrunner.remove_user is 'Removes a user and everything that is its own.';
