create or replace function jobrunner.lacking_rows(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_table text,
  in_key text[],
  in_most integer
) returns table (
  hash bigint,
  key text[],
  is_shown boolean
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Rows that the entity's last full pass lacked, by their keys, for the source to be asked: in_most at most, others
-- first in each pass. Unsent edits are none. Before them up to three rows that the pass has shown (is_shown), of which
-- the source must not say that they are gone. Of a pass that has shown none, only the rows that the full pass before it
-- lacked as well.
-- Not for callers: runs.
declare
  v_columns text := (select string_agg(format('t.%I::text', c.name), ', ' order by c.number)
    from unnest(in_key) with ordinality as c (name, number));
  v_pass_number integer;
  v_shown bigint[];
  v_lacking bigint[];
begin
  select max(p.pass_number) into v_pass_number
  from jobrunner.seen_pages as p
  where p.user_id = in_user_id and p.job_name = in_name and p.entity = in_entity and p.page_number = 0;
  if v_pass_number is null then
    return;
  end if;
  select array_agg(k.hash) into v_shown
  from jobrunner.seen_pages as p, unnest(p.keys) as k (hash)
  where p.user_id = in_user_id and p.job_name = in_name and p.entity = in_entity and p.pass_number = v_pass_number
    and p.page_number > 0;
  select p.keys into v_lacking
  from jobrunner.seen_pages as p
  where p.user_id = in_user_id and p.job_name = in_name and p.entity = in_entity and p.pass_number = v_pass_number
    and p.page_number = case when v_shown is null then -1 else 0 end;
  return query execute format(
    '(
      select jobrunner.key_hash(%2$s), array[%2$s], true
      from synced.%1$I as t
      where t.user_id = $1 and jobrunner.key_hash(%2$s) = any ($3)
      order by hashint8extended(jobrunner.key_hash(%2$s), $2)
      limit 3
    )
    union all
    (
      select jobrunner.key_hash(%2$s), array[%2$s], false
      from synced.%1$I as t
      where t.user_id = $1 and t.synced and jobrunner.key_hash(%2$s) = any ($4)
      order by hashint8extended(jobrunner.key_hash(%2$s), $2)
      limit $5
    )',
    in_table, v_columns)
  using in_user_id, v_pass_number, v_shown, v_lacking, in_most;
end
$$;
comment on function jobrunner.lacking_rows is 'Rows that a full pass lacked, for the source to be asked. Not for callers: runs.';
