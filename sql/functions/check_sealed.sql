create or replace function jobrunner.check_sealed(
  in_name text,
  in_sealed bytea
) returns void
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
-- Refuses what no worker could open: a secret is stored sealed, and sealing adds 49 bytes to what may have from 1 byte
-- to 16 KiB. Raises JR017; the message holds nothing of the value. Not for callers: store_secret, rotate_secret.
declare
  overhead constant integer := 49;
begin
  if octet_length(in_sealed) between overhead + 1 and overhead + 16384 and get_byte(in_sealed, 0) = 1 then
    return;
  end if;
  raise exception 'secret ''%'' is % bytes that are no sealed value', in_name, coalesce(octet_length(in_sealed), 0)
    using errcode = 'JR017',
    hint = 'Expected from 1 byte to 16 KiB, sealed as `jobrunner user set --secret` does.';
end
$$;
comment on function jobrunner.check_sealed is 'Refuses a secret that is not sealed, or empty or too long. Not for callers: store_secret, rotate_secret.';
