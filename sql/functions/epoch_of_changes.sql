create or replace function jobrunner.epoch_of_changes(
  in_tenant_id bigint,
  in_table jobrunner.synced_tables
) returns uuid
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- What a cursor must agree with to be gone on from. It is another one on another server, in another database or after a
-- promotion or restore; where the table, its triggers or what is told of a row were made anew; after a truncate; and
-- when changes went that no reader had come to. Nothing is written for it, so that nobody waits. Not for callers:
-- changes_since.
begin
  return jobrunner.server_epoch(jsonb_build_array(
    in_table.told_anew,
    in_table.told,
    in_tenant_id,
    coalesce((select f.unread from jobrunner.change_floors as f
      where f.tenant_id = in_tenant_id and f.table_name = in_table.name), 0),
    format('synced.%I', in_table.name)::regclass::oid::text));
end
$$;
comment on function jobrunner.epoch_of_changes is 'What a cursor must agree with to be gone on from. Not for callers: changes_since.';
