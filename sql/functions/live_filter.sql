create or replace function jobrunner.live_filter(in_known jsonb) returns text
language sql immutable strict
set search_path = pg_catalog, pg_temp
as $$
-- in_known: what synced_tables.writable says of the table. Row r is none that waits for its deletion or is deleted
-- softly; a deletion that lies ahead is none yet.
select case when (in_known ->> 'push')::boolean then ' and not r.pending_delete' else '' end
  || case when in_known ? 'soft_field'
    then format(' and (r.%1$I is null or r.%1$I > now())', in_known ->> 'soft_field') else '' end;
$$;
comment on function jobrunner.live_filter is 'SQL text: row r is alive. Not for callers: duplicates, merge_duplicates, tell_duplicates.';
