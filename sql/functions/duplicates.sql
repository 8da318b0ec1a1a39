create or replace function jobrunner.duplicates(
  in_table text,
  in_by text[],
  in_tenant text default null
) returns table (
  tenant text,
  user_id bigint,
  user_key text,
  value jsonb,
  row_count bigint
)
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Live rows of one user that agree in these columns, which ought to be one; changes nothing. A row with a
-- null among them is its own. None: no rows. Raises JR010, or JR016 for a table or column that is not there.
#variable_conflict use_column
declare
  v_known jsonb := (select s.writable from jobrunner.synced_tables as s where s.name = in_table);
  v_missing text;
begin
  if in_tenant is not null then
    perform jobrunner.tenant_named(in_tenant);
  end if;
  select coalesce(b.name, in_table) into v_missing
  from unnest(in_by) as b (name)
  where v_known is null or not v_known -> 'fields' ? b.name
  limit 1;
  if found then
    raise exception 'table ''%'' of records, or its column ''%'', is not there', in_table, v_missing
      using errcode = 'JR016';
  end if;
  return query execute format(
    'select t.name, u.id, u.key, jsonb_build_object(%1$s), count(*)
    from synced.%2$I as r
    join jobrunner.users as u on u.id = r.user_id
    join jobrunner.tenants as t on t.id = u.tenant_id
    where ($1 is null or t.name = $1) and %3$s%4$s
    group by t.name, u.id, u.key, %5$s
    having count(*) > 1
    order by t.name, u.key, %5$s',
    (select string_agg(format('%1$L, r.%1$I', b.name), ', ') from unnest(in_by) as b (name)), in_table,
    (select string_agg(format('r.%I is not null', b.name), ' and ') from unnest(in_by) as b (name)),
    jobrunner.live_filter(v_known) || case when (v_known ->> 'hides')::boolean then ' and r.hidden_at is null'
      else '' end,
    (select string_agg(format('r.%I', b.name), ', ') from unnest(in_by) as b (name)))
  using in_tenant;
end
$$;
comment on function jobrunner.duplicates is 'Rows of one user that ought to be one, and how many they are.';
