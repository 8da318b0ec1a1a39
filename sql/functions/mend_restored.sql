create or replace function jobrunner.mend_restored() returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- A server numbers transactions for itself: what a dump brought from another one may stand ahead of all that is to
-- come. Such events get the lowest number, in their order, so that new ones follow them; such announcements would be
-- news for ever, and go. Returns how many events; as a rule none, and then nothing is written. Each statement asks its
-- own snapshot: a row that it sees and that stands at or behind the snapshot's end can't be this server's, whatever
-- workers commit meanwhile. Not for callers: migrate.
declare
  v_count bigint := 0;
begin
  if exists (select from jobrunner.announcements as a where a.transaction >= pg_snapshot_xmax(pg_current_snapshot()))
    then
    delete from jobrunner.announcements as a where a.transaction >= pg_snapshot_xmax(pg_current_snapshot());
  end if;
  if exists (select from jobrunner.events as e where e.transaction_id >= pg_snapshot_xmax(pg_current_snapshot())) then
    update jobrunner.events as e set transaction_id = '3'
      where e.transaction_id >= pg_snapshot_xmax(pg_current_snapshot());
    get diagnostics v_count = row_count;
  end if;
  return v_count;
end
$$;
comment on function jobrunner.mend_restored is 'Numbers events anew that stand ahead of this server''s transactions. Not for callers: migrate.';
