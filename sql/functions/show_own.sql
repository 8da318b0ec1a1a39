create or replace function jobrunner.show_own(
  in_table text
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Makes view own.<table> of a table of schema synced, or brings it to the table's present columns. It has the live
-- rows (live_filter; none that another one stands for) of the application's tenant, by its own keys of users, without
-- what jobrunner alone has a use for. Returns whether it had been made before and was lost, or was another one.
-- Not for callers: migrate.
-- The tenant is asked of jobrunner.applications and not of own_tenant_id(): whoever reads a view needs the right to
-- call its functions. It has no row for an operator, who is no application. Both columns that the view finds a user by
-- are compared by operators that tell nothing, so that they use users' index behind the barrier, too. Such a condition
-- on a column of the table must not get before that, since explain shows how many rows it found: offset 0 keeps it out.
declare
  v_known jsonb;
  v_made text;
  v_columns text;
  v_comments text;
  v_wanted text;
  v_view text;
  v_grants text;
  -- The tag of a record is what its source compares, the rest is the machine's own.
  v_bookkeeping text[];
begin
  select coalesce(s.writable, '{}'), s.own_view into v_known, v_made
  from jobrunner.synced_tables as s where s.name = in_table;
  v_bookkeeping := array['pending_delete', 'hidden_at', 'push_pause', 'sent_hashes', 'unread_fields'];
  if v_known ? 'fields' then
    v_bookkeeping := array(
      select b.name from unnest(v_bookkeeping) as b (name) where not v_known -> 'fields' ? b.name
    );
  end if;
  v_bookkeeping := v_bookkeeping || array['user_id', coalesce(v_known ->> 'change_tag', 'user_id')];
  -- A column of the table's own that has the first one's name gives way.
  select string_agg(
      format(case when c.attname = 'user_key' then ', r.%I as record_user_key' else ', r.%I' end, c.attname), ''
      order by c.attnum),
    string_agg(format(E'comment on column own.%I.%I is %L;\n', in_table,
      case when c.attname = 'user_key' then 'record_user_key' else c.attname end,
      coalesce(col_description(c.attrelid, c.attnum), 'Column of synced.' || in_table || '.')), '' order by c.attnum)
  into v_columns, v_comments
  from pg_attribute as c
  where c.attrelid = format('synced.%I', in_table)::regclass and c.attnum > 0 and not c.attisdropped
    and c.attname <> all (v_bookkeeping);
  v_wanted := format(
    'create or replace view own.%1$I with (security_barrier) as
    select u.key as user_key%2$s
    from jobrunner.users as u
    cross join lateral (select r.* from synced.%1$I as r where r.user_id = u.id%3$s%4$s offset 0) as r
    where u.tenant_id = (select a.tenant_id from jobrunner.applications as a where a.login = session_user);
    ', in_table, v_columns, coalesce(jobrunner.live_filter(v_known), ''),
    case when (v_known ->> 'hides')::boolean then ' and r.hidden_at is null' else '' end);
  v_comments := format(
    'comment on view own.%1$I is %2$L;
    comment on column own.%1$I.user_key is %3$L;
    ', in_table, format('Live rows of synced.%s of the tenant whose application reads.', in_table),
    'The application''s own key of the user; * for rows that all its users share.') || v_comments;
  v_view := (
    select pg_get_viewdef(c.oid) || array_to_string(c.reloptions, ' ')
    from pg_class as c where c.oid = to_regclass(format('own.%I', in_table))
  );
  if v_made = v_wanted || v_comments || coalesce(v_view, '') then
    return false;
  end if;
  begin
    execute v_wanted;
  exception when invalid_table_definition then
    -- A column went, and those behind it have moved: who may read the old view may read the new one.
    select string_agg(format('grant %s on own.%I to %s;', a.privilege_type, in_table,
        case when a.grantee = 0 then 'public' else a.grantee::regrole::text end), ' ')
    into v_grants
    from pg_class as c
    cross join lateral aclexplode(c.relacl) as a
    where c.oid = to_regclass(format('own.%I', in_table)) and a.grantee <> c.relowner;
    execute format('drop view own.%I', in_table);
    execute v_wanted;
    execute coalesce(v_grants, '');
  end;
  execute v_comments;
  update jobrunner.synced_tables as s
  set own_view = (
    select v_wanted || v_comments || pg_get_viewdef(c.oid) || array_to_string(c.reloptions, ' ')
    from pg_class as c where c.oid = format('own.%I', in_table)::regclass
  )
  where s.name = in_table;
  return v_made is not null and (v_view is null or right(v_made, length(v_view)) <> v_view);
end
$$;
comment on function jobrunner.show_own is 'Makes or mends what an application reads of a synced table. Not for callers: migrate.';
