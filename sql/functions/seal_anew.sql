create or replace function jobrunner.seal_anew(
  in_tenant_id bigint,
  in_user_id bigint,
  in_name text,
  in_revision bigint,
  in_sealed bytea
) returns boolean
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Stores the same value of a secret, sealed with another key, unless it has another value by now; whether it did.
with stored as (
  update jobrunner.secrets as s
  set sealed = in_sealed
  where s.tenant_id = in_tenant_id and s.user_id = in_user_id and s.name = in_name and s.revision = in_revision
  returning 1
)
select exists (select from stored)
$$;
comment on function jobrunner.seal_anew is 'Stores the same value of a secret, sealed with another key.';
