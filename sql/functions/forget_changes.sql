create or replace function jobrunner.forget_changes(
  in_rows_max integer
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Deletes changes of more than a week, the earliest first, in_rows_max at most, and keeps what that means for readers
-- who were not yet there: up to which number they are gone, or that some went to which nobody had given a number. It
-- waits for nobody: a change that a reader is just numbering is left to the next call. Returns how many it deleted.
-- Not for callers: maintain_runs.
declare
  v_count integer;
begin
  with old as materialized (
    select e.id
    from jobrunner.changes as e
    where e.id = any (array(
      select o.id
      from (select c.id, c.at from jobrunner.changes as c order by c.id limit in_rows_max) as o
      where o.at < now() - interval '7 days'
    ))
    for update skip locked
  ), gone as (
    delete from jobrunner.changes as e where e.id in (select o.id from old as o)
    returning e.tenant_id, e.table_name, e.number
  ), kept as (
    insert into jobrunner.change_floors as f (tenant_id, table_name, floor, unread)
    select g.tenant_id, g.table_name, coalesce(max(g.number), 0), (count(*) > count(g.number))::integer
    from gone as g
    group by g.tenant_id, g.table_name
    order by g.tenant_id, g.table_name
    on conflict (tenant_id, table_name) do update
    set floor = greatest(f.floor, excluded.floor), unread = f.unread + excluded.unread
  )
  select count(*) into v_count from gone;
  return v_count;
end
$$;
comment on function jobrunner.forget_changes is 'Deletes changes of more than a week. Not for callers: maintain_runs.';
