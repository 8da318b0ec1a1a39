create or replace function jobrunner.own_tenant_id() returns bigint
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
-- Whose rows the session may name: of an application those of its tenant; 0: every tenant's, for a member of the owner,
-- of the operators or of the workers; null: nobody's, for any other login, whatever else it was granted.
-- It goes by session_user, the role that logged in: no setting, set role or definer's rights change it.
-- No JIT: under a caller who has turned sequential scans off a small table looks dear, and 90 ms of compiling began.
declare
  v_tenant_id bigint := (select a.tenant_id from jobrunner.applications as a where a.login = session_user::text);
begin
  if v_tenant_id is not null then
    return v_tenant_id;
  end if;
  if pg_has_role(session_user, (select n.nspowner from pg_namespace as n where n.nspname = 'jobrunner'), 'member')
    or exists (
      select from jobrunner.roles as k
      where k.kind in ('operator', 'worker')
        and pg_has_role(session_user, (select r.oid from pg_roles as r where r.rolname = k.name), 'member')
    )
  then
    return 0;
  end if;
  return null;
end
$$;
comment on function jobrunner.own_tenant_id is 'The tenant whose rows this login may name; 0: every tenant''s; null: nobody''s.';
