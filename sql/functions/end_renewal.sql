create or replace function jobrunner.end_renewal(
  in_tenant_id bigint,
  in_user_id bigint,
  in_credential text,
  in_lease uuid,
  in_access_token bytea,
  in_good_ms bigint
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Gives back the lease of a credential with the access token that came of it, or null where none did.
-- Returns false and changes nothing when the lease is another's by now, or a person has set a new secret meanwhile.
-- Raises JR017, JR019 as check_sealed does.
begin
  if in_access_token is not null then
    perform jobrunner.check_sealed(in_tenant_id, in_credential, in_access_token);
  end if;
  update jobrunner.renewals as r
  set lease = null, leased_until = null, job_user_id = null, job_name = null, fence = null,
    access_token = in_access_token,
    good_until = case
      when in_access_token is not null then clock_timestamp() + in_good_ms * interval '1 millisecond'
    end
  where r.user_id = in_user_id and r.tenant_id = in_tenant_id and r.credential = in_credential
    and r.lease = in_lease;
  return found;
end
$$;
comment on function jobrunner.end_renewal is 'Gives back the lease of a credential, with the access token that came of it.';
