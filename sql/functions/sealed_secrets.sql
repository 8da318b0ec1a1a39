create or replace function jobrunner.sealed_secrets(
  in_tenant_id bigint,
  in_user_id bigint
) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
-- The secrets of a user and its tenant as they are stored now, as run_inputs tells them at the claim; null: there are
-- none.
select json_agg(json_build_array(s.user_id, s.name, encode(s.sealed, 'hex'), s.version, s.revision))::text
from jobrunner.secrets as s
where s.user_id in (0, in_user_id) and s.tenant_id = in_tenant_id
$$;
comment on function jobrunner.sealed_secrets is 'The secrets of a user and its tenant as they are stored now.';
