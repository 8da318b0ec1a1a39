create or replace function jobrunner.present_rows(
  in_tenant_id bigint,
  in_table text,
  in_known jsonb,
  in_user_key text,
  in_place jsonb,
  in_limit integer
) returns table (
  user_key text,
  key jsonb,
  "row" jsonb,
  is_last boolean
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set extra_float_digits = 1
set enable_seqscan = off
set jit = off
set max_parallel_workers_per_gather = 0
as $$
-- The next in_limit rows behind in_place ([user, key]; []: from the first), by user and key; is_last: no row follows.
-- The rest of the place's own user is asked for by itself, so that its index leads to the place, however many rows the
-- user has. in_known: synced_tables.told. Not for callers: changes_since.
declare
  v_keys text := (
    select string_agg(format('r.%I', k.name), ', ' order by k.number)
    from jsonb_array_elements_text(in_known -> 'key') with ordinality as k (name, number)
  );
  v_part text := format(
    'select u.key as user_key, r.key, r.row
    from (
      select u.id, u.key from jobrunner.users as u where u.tenant_id = $1 and %%s order by u.key
    ) as u
    cross join lateral (
      select %s as key, %s as row
      from synced.%I as r
      where r.user_id = u.id%s%%s
      order by %s
      limit $5 + 1
    ) as r
    limit $5 + 1',
    jobrunner.told_columns(in_known -> 'key'), jobrunner.told_columns(in_known -> 'row'), in_table,
    case when (in_known ->> 'waits')::boolean then ' and not r.pending_delete' else '' end, v_keys);
  v_parts text[] := '{}';
begin
  if in_place <> '[]' then
    v_parts := v_parts || format(v_part, case when in_user_key is not null then 'u.key = $2 and ' else '' end || 'u.key = $3', format(
      ' and (%s) > (select %s from jsonb_populate_record(null::synced.%I, $4) as r)', v_keys, v_keys, in_table));
  end if;
  if in_place = '[]' or in_user_key is null then
    v_parts := v_parts || format(v_part, case
        when in_user_key is not null then 'u.key = $2'
        when in_place = '[]' then 'true' else 'u.key > $3'
      end, '');
  end if;
  return query execute format(
    'select n.user_key, n.key, n.row, n.place = n.total
    from (
      select p.*, row_number() over () as place, count(*) over () as total
      from (select a.* from ((%s)) as a limit $5 + 1) as p
    ) as n
    where n.place <= $5
    order by n.place', array_to_string(v_parts, ') union all ('))
  using in_tenant_id, in_user_key, in_place ->> 0, in_place -> 1, in_limit;
end
$$;
comment on function jobrunner.present_rows is 'The rows that a table has, page by page. Not for callers: changes_since.';
