create or replace function jobrunner.server_epoch(
  in_parts jsonb
) returns uuid
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- What a cursor must agree with to be gone on from: another one on another server, in another database, after a
-- promotion or restore, and where in_parts differ. Nothing is written for it, so that nobody waits.
-- Not for callers: changes_since, events_since.
begin
  return encode(substr(sha256(convert_to((jsonb_build_array(
    (select c.system_identifier::text from pg_control_system() as c),
    (select d.oid::text from pg_database as d where d.datname = current_database()),
    left(pg_walfile_name(pg_current_wal_lsn()), 8),
    'jobrunner.changes'::regclass::oid::text
  ) || in_parts)::text, 'UTF8')), 1, 16), 'hex')::uuid;
end
$$;
comment on function jobrunner.server_epoch is 'What a cursor must agree with to be gone on from. Not for callers: changes_since, events_since.';
