create or replace function jobrunner.forget_events(
  in_rows_max integer
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Deletes events of more than a week, the oldest transactions first, in_rows_max at most, and keeps what that means for
-- readers who were not yet there, as forget_changes does. Returns how many it deleted. Not for callers: maintain_runs.
declare
  v_count integer;
begin
  with old as materialized (
    select e.transaction_id, e.id
    from jobrunner.events as e
    where (e.transaction_id, e.id) in (
      select o.transaction_id, o.id from jobrunner.events as o order by o.transaction_id, o.id limit in_rows_max
    ) and e.at < now() - interval '7 days'
    for update skip locked
  ), gone as (
    delete from jobrunner.events as e using old as o
    where e.transaction_id = o.transaction_id and e.id = o.id
    returning e.tenant_id, e.number
  ), kept as (
    insert into jobrunner.change_floors as f (tenant_id, table_name, floor, unread)
    select g.tenant_id, '', coalesce(max(g.number), 0), (count(*) > count(g.number))::integer
    from gone as g
    group by g.tenant_id
    order by g.tenant_id
    on conflict (tenant_id, table_name) do update
    set floor = greatest(f.floor, excluded.floor), unread = f.unread + excluded.unread
  )
  select count(*) into v_count from gone;
  return v_count;
end
$$;
comment on function jobrunner.forget_events is 'Deletes events of more than a week. Not for callers: maintain_runs.';
