create or replace function jobrunner.guard_next_table() returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Puts a table that knows a tenant or a user, and is not, behind row-level security, so that a right on it that was
-- given by mistake shows nobody anything. Workers do with all rows what they may do, operators and readers read all of
-- what they may read, and an application sees its own tenant's alone, should it ever be given a right on a table. Not
-- forced: the owner dumps and restores, and pg_dump refuses a role that policies keep rows from. One table a call,
-- since each is locked against everybody. Returns its name; null: none is left. Not for callers: migrate.
declare
  v_table record;
  v_policy record;
  v_done boolean := false;
begin
  for v_table in
    select c.oid, n.nspname as schema, c.relname as name, c.relispartition, c.relrowsecurity,
      bool_or(a.attname = 'tenant_id') as has_tenant
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    join pg_attribute as a on a.attrelid = c.oid and not a.attisdropped
    where n.nspname in ('jobrunner', 'synced') and c.relkind in ('r', 'p')
      and (a.attname in ('tenant_id', 'user_id') or n.nspname = 'jobrunner' and c.relname in ('tenants', 'claims'))
    group by c.oid, n.nspname
    order by n.nspname, c.relname
  loop
    if not v_table.relrowsecurity then
      execute format('alter table %s enable row level security', v_table.oid::regclass);
      v_done := true;
    end if;
    -- A partition is read through its table alone.
    for v_policy in
      select p.name, p.command, k.name as role, p.condition, p.command = 'all' as is_write
      from (values
        ('workers_work_with_all_rows', 'worker', 'all', 'true'),
        ('operators_read_all_rows', 'operator', 'select', 'true'),
        ('readers_read_all_rows', 'reader', 'select', 'true'),
        ('applications_see_their_tenant', 'application', 'select', case
          when v_table.schema = 'jobrunner' and v_table.name = 'tenants' then 'id = (select jobrunner.own_tenant_id())'
          when v_table.has_tenant then 'tenant_id = (select jobrunner.own_tenant_id())'
          when v_table.name = 'claims' then 'false'
          else 'exists (select from jobrunner.users as u where u.id = user_id and u.tenant_id = (select jobrunner.own_tenant_id()))'
        end)
      ) as p (name, kind, command, condition)
      join jobrunner.roles as k on k.kind = p.kind
      join pg_roles as r on r.rolname = k.name
      left join pg_policy as h on h.polrelid = v_table.oid and h.polname = p.name
      where not v_table.relispartition and h.polroles is distinct from array[r.oid]
    loop
      execute format('drop policy if exists %I on %s', v_policy.name, v_table.oid::regclass);
      execute format('create policy %I on %s for %s to %I using (%s)%s', v_policy.name, v_table.oid::regclass,
        v_policy.command, v_policy.role, v_policy.condition, case when v_policy.is_write then ' with check (true)' else '' end);
      v_done := true;
    end loop;
    if v_done then
      return v_table.oid::regclass::text;
    end if;
  end loop;
  return null;
end
$$;
comment on function jobrunner.guard_next_table is 'Puts a table that knows a tenant or a user behind row-level security. Not for callers: migrate.';
