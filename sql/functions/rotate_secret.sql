create or replace function jobrunner.rotate_secret(
  in_tenant_id bigint,
  in_user_id bigint,
  in_name text,
  in_revision bigint,
  in_new_revision bigint,
  in_new bytea
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Replaces a sealed secret by the one its source gave for it, in the transaction of the page it came with.
-- version and updated_at stay: they tell of secrets that people set. in_new_revision is drawn by the run, which goes on
-- with it, and is no number that was drawn before.
-- Returns false and changes nothing when the stored value is not that of in_revision: a person has set a newer one
-- meanwhile. Raises JR019 when the tenant's key is another by now, so that the caller seals again.
begin
  perform jobrunner.check_sealed(in_tenant_id, in_name, in_new);
  update jobrunner.secrets as s
  set sealed = in_new, revision = in_new_revision
  where s.tenant_id = in_tenant_id and s.user_id = in_user_id and s.name = in_name and s.revision = in_revision;
  return found;
end
$$;
comment on function jobrunner.rotate_secret is 'Replaces a sealed secret by the one that its source gave for it.';
