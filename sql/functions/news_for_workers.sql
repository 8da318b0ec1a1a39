create or replace function jobrunner.news_for_workers(
  in_seen pg_snapshot,
  out seen pg_snapshot,
  out since timestamptz,
  out tenant_id bigint,
  out weight integer
) returns setof record
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- What was announced and became visible since the snapshot that the last call gave, whatever the order in which
-- transactions ended; at least one row, for the snapshot to give next time. weight is the tenant's present one. Without
-- in_seen nothing is new.
begin
  seen := pg_current_snapshot();
  for since, tenant_id, weight in
    select a.since, a.tenant_id, t.weight
    from jobrunner.announcements as a
    left join jobrunner.tenants as t on t.id = a.tenant_id
    where not pg_visible_in_snapshot(a.transaction, in_seen)
  loop
    return next;
  end loop;
  if not found then
    return next;
  end if;
end
$$;
comment on function jobrunner.news_for_workers is 'What was announced to workers since they asked last.';
