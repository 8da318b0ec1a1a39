create or replace function jobrunner.rotate_secret(
  in_tenant_id bigint,
  in_user_id bigint,
  in_name text,
  in_old bytea,
  in_new bytea
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Replaces a sealed secret by the one its source gave for it, in the transaction of the page it came with.
-- version and updated_at stay: they tell of secrets that people set.
-- Returns false and changes nothing when the stored one is not in_old: a person has set a newer one meanwhile.
begin
  perform jobrunner.check_sealed(in_name, in_new);
  update jobrunner.secrets as s
  set sealed = in_new
  where s.tenant_id = in_tenant_id and s.user_id = in_user_id and s.name = in_name and s.sealed = in_old;
  return found;
end
$$;
comment on function jobrunner.rotate_secret is 'Replaces a sealed secret by the one that its source gave for it.';
