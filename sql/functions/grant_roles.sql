create or replace function jobrunner.grant_roles(
  in_prefix text default null
) returns text[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Gives the groups of this installation the rights that rights_of_roles lists, and takes from them what it does not
-- list. They are called as in_prefix says (null: as when it was last called, else as the database) with _worker,
-- _operator, _reader or _application behind it. An administrator makes them (jobrunner roles prints how): whoever may
-- make roles on PostgreSQL 15 may give themselves nearly any right. Only what differs is written. Returns, in words,
-- what was changed. Not for callers: migrate.
declare
  v_kind text;
  v_name text;
  v_former text;
  v_schema text;
  v_role oid;
  v_right record;
  v_changed text[] := '{}';
begin
  foreach v_kind in array array['worker', 'operator', 'reader', 'application'] loop
    select r.oid, r.rolname into v_role, v_name
    from pg_roles as r
    left join jobrunner.roles as k on k.kind = v_kind and in_prefix is null
    where r.rolname in (k.name, coalesce(in_prefix, current_database()) || '_' || v_kind)
    order by r.rolname = coalesce(in_prefix, current_database()) || '_' || v_kind desc
    limit 1;
    continue when not found;
    -- An installation that was moved or copied has other groups, and those of the other one have nothing here.
    select k.name into v_former from jobrunner.roles as k join pg_roles as r on r.rolname = k.name
    where k.kind = v_kind and k.name <> v_name;
    if found then
      execute format(
        'revoke all on all tables in schema jobrunner, synced, own from %1$I; revoke all on all sequences in schema jobrunner from %1$I;
        revoke all on all routines in schema jobrunner from %1$I; revoke all on schema jobrunner, synced, own from %1$I', v_former);
      v_changed := v_changed || format('%s: no longer anything', v_former);
    end if;
    insert into jobrunner.roles as k (kind, name) values (v_kind, v_name)
    on conflict (kind) do update set name = excluded.name where k.name <> excluded.name;

    if not has_schema_privilege(v_role, 'jobrunner', 'usage') then
      execute format('grant usage on schema jobrunner to %I', v_name);
      v_changed := v_changed || format('%s: schema jobrunner', v_name);
    end if;
    v_schema := case v_kind when 'worker' then 'synced' when 'application' then 'own' end;
    if not has_schema_privilege(v_role, v_schema, 'usage') then
      execute format('grant usage on schema %I to %I', v_schema, v_name);
      v_changed := v_changed || format('%s: schema %s', v_name, v_schema);
    end if;

    -- What it has and should not: a verb that was its own in an older version, or what somebody gave by hand.
    for v_right in
      select h.what, h."right", h.signature, h.columns
      from (
        select 'routine' as what, lower(a.privilege_type) as "right", p.oid::regprocedure::text as signature, null::text[] as columns
        from pg_proc as p
        cross join lateral aclexplode(p.proacl) as a
        where p.pronamespace = 'jobrunner'::regnamespace and a.grantee = v_role
        union all
        select case when c.relkind = 'S' then 'sequence' else 'table' end, lower(a.privilege_type), c.oid::regclass::text, null
        from pg_class as c
        cross join lateral aclexplode(c.relacl) as a
        where c.relnamespace in ('jobrunner'::regnamespace, 'synced'::regnamespace, 'own'::regnamespace) and a.grantee = v_role
        union all
        select 'table', lower(a.privilege_type), c.oid::regclass::text, array_agg(t.attname::text order by t.attnum)
        from pg_class as c
        join pg_attribute as t on t.attrelid = c.oid
        cross join lateral aclexplode(t.attacl) as a
        where c.relnamespace in ('jobrunner'::regnamespace, 'synced'::regnamespace, 'own'::regnamespace) and a.grantee = v_role
        group by c.oid, a.privilege_type
      ) as h
      left join jobrunner.rights_of_roles() as w
        on w.kind = v_kind and w."right" = h."right" and w.signature = h.signature
        and w.columns is not distinct from h.columns
      where w.kind is null
    loop
      execute format('revoke %s%s on %s %s from %I', v_right."right",
        ' (' || (select string_agg(quote_ident(c), ', ') from unnest(v_right.columns) as c) || ')', v_right.what,
        v_right.signature, v_name);
      v_changed := v_changed || format('%s: no longer %s', v_name, v_right.signature);
    end loop;

    for v_right in
      select w."right", w.signature, w.columns
      from jobrunner.rights_of_roles() as w
      where w.kind = v_kind and case
          when w."right" = 'execute' then not has_function_privilege(v_role, w.place, 'execute')
          when w."right" = 'usage' then not has_sequence_privilege(v_role, w.place, 'usage')
          when w.columns is null then not has_table_privilege(v_role, w.place, w."right")
          else exists (
            select from unnest(w.columns) as c (name)
            where not has_column_privilege(v_role, w.place, c.name, w."right")
          )
        end
      order by w.signature, w."right"
    loop
      execute format('grant %s%s on %s %s to %I', v_right."right",
        ' (' || (select string_agg(quote_ident(c), ', ') from unnest(v_right.columns) as c) || ')',
        case v_right."right" when 'execute' then 'routine' when 'usage' then 'sequence' else 'table' end,
        v_right.signature, v_name);
      v_changed := v_changed || format('%s: %s', v_name, v_right.signature);
    end loop;
  end loop;
  if v_changed <> '{}' then
    perform jobrunner.note_act('grant_roles', null, jsonb_build_object('changed', cardinality(v_changed)));
  end if;
  return v_changed;
end
$$;
comment on function jobrunner.grant_roles is 'Gives the groups of this installation their rights, and takes what is none of theirs. Not for callers: migrate.';
