create or replace function jobrunner.revoke_public() returns text[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Takes from everybody what PostgreSQL gives everybody with a new function: to call it. Who is granted a function by
-- name keeps it. Only what is still given is taken, for that writes even when it changes nothing. Returns of which
-- functions. Not for callers: migrate.
declare
  v_function record;
  v_revoked text[] := '{}';
begin
  for v_function in
    select p.oid, p.proname
    from pg_proc as p
    cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
    where p.pronamespace = 'jobrunner'::regnamespace and a.grantee = 0
    order by p.proname
  loop
    execute format('revoke execute on routine %s from public', v_function.oid::regprocedure);
    -- Of another owner's function PostgreSQL only warns that nothing was taken.
    if not exists (
      select from pg_proc as p
      cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
      where p.oid = v_function.oid and a.grantee = 0
    ) then
      v_revoked := v_revoked || v_function.proname::text;
    end if;
  end loop;
  if v_revoked <> '{}' then
    perform jobrunner.note_act('revoke_public', 'public', jsonb_build_object('revoked', v_revoked));
  end if;
  return v_revoked;
end
$$;
comment on function jobrunner.revoke_public is 'Takes from everybody the right to call functions that nobody granted them. Not for callers: migrate.';
