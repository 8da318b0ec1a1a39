create or replace function jobrunner.check_sealed(
  in_tenant_id bigint,
  in_name text,
  in_sealed bytea
) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- Refuses what no worker could open. A seal is a byte 2, the id of the tenant's key (8 bytes) and a box of libsodium's
-- for that key, which adds 48 bytes; inside stands where it belongs, in at most 4 KiB, and the secret, in 16 KiB.
-- Raises JR017 for what is no seal by its form, and JR019 for one that another key has sealed than the tenant's present
-- one. The message holds nothing of the value.
-- Not for callers: store_secret, add_secrets, rotate_secret, end_renewal.
declare
  overhead constant integer := 57;
begin
  if in_sealed is null or octet_length(in_sealed) not between overhead + 2 and overhead + 4096 + 16384
    or get_byte(in_sealed, 0) <> 2
  then
    raise exception 'secret ''%'' is % bytes that are no sealed value', in_name, coalesce(octet_length(in_sealed), 0)
      using errcode = 'JR017',
      hint = 'Expected from 1 byte to 16 KiB, sealed with what jobrunner.sealing_key gives.';
  end if;
  perform from jobrunner.tenant_keys as k
  where k.tenant_id = in_tenant_id and k.id = substring(in_sealed from 2 for 8) and k.retired_at is null;
  if not found then
    raise exception 'secret ''%'' is sealed with key %, with which the tenant does not seal', in_name,
      encode(substring(in_sealed from 2 for 8), 'hex')
      using errcode = 'JR019', hint = 'Seal it with what jobrunner.sealing_key gives now.';
  end if;
end
$$;
comment on function jobrunner.check_sealed is 'Refuses a secret that no worker could open. Not for callers: store_secret, rotate_secret.';
