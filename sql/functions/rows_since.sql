create or replace function jobrunner.rows_since(
  in_tenant_id bigint,
  in_table text,
  in_known jsonb,
  in_user_key text,
  in_after bigint,
  in_limit integer
) returns table (
  user_key text,
  key jsonb,
  "row" jsonb,
  number bigint
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set extra_float_digits = 1
set enable_seqscan = off
set jit = off
as $$
-- The records that in_limit changes behind in_after are of, each once, by its last number, with the row as it is now;
-- null: it is gone. The record of a user that was removed and added again is the present user's. None where in_after is
-- older than what is kept, which is asked in the same statement: old changes may go at any moment. in_known:
-- synced_tables.told. Not for callers: changes_since.
begin
  return query execute format(
    'with heard as materialized (
      select c.user_key, c.key, max(c.number) as number
      from (
        select e.user_key, e.key, e.number
        from jobrunner.changes as e
        where e.tenant_id = $1 and e.table_name = $2%s and e.number > $4
          and $4 >= coalesce((
            select f.floor from jobrunner.change_floors as f where f.tenant_id = $1 and f.table_name = $2), 0)
        order by e.number
        limit $5
      ) as c
      group by c.user_key, c.key
    )
    select h.user_key, h.key, p.row, h.number
    from heard as h
    left join lateral (
      select %s as row
      from jobrunner.users as u
      cross join jsonb_populate_record(null::synced.%I, h.key) as v
      join synced.%3$I as r on r.user_id = u.id and %4$s%5$s
      where u.tenant_id = $1 and u.key = h.user_key
      limit 1
    ) as p on true
    order by h.number',
    case when in_user_key is not null then ' and e.user_key = $3' else '' end,
    jobrunner.told_columns(in_known -> 'row'), in_table,
    (select string_agg(format('r.%1$I = v.%1$I', k.name), ' and ')
      from jsonb_array_elements_text(in_known -> 'key') as k (name)),
    case when (in_known ->> 'waits')::boolean then ' and not r.pending_delete' else '' end)
  using in_tenant_id, in_table, in_user_key, in_after, in_limit;
end
$$;
comment on function jobrunner.rows_since is 'Records that changed since a number, as they are now. Not for callers: changes_since.';
