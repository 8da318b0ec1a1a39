create or replace function jobrunner.item_rows(
  in_user_id bigint,
  in_name text,
  in_swept text[],
  in_table text,
  in_identity text[],
  in_columns text[],
  in_stamped text[],
  in_most integer
) returns table (
  item text[],
  stamp text,
  is_lacking boolean
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- The items that a user's live rows are for an entity with for_each: the texts of in_columns, each item once, in their
-- order, in_most at most; a row that lacks one of them is no item. in_stamped: the columns that stamp stands for, so
-- that it is another one as soon as a row of the item is; '{}': there is no stamp. is_lacking: the full passes whose
-- checkpoints are in_swept have lacked all rows of the item, and none has shown them; they wait for a second look.
-- in_identity: the columns by which pages of the rows noted their records. Not for callers: runs.
declare
  v_texts text := (
    select string_agg(format('r.%I::text', c.name), ', ' order by c.place)
    from unnest(in_columns) with ordinality as c (name, place)
  );
  v_stamped text := (
    select string_agg(format('r.%I', c.name), ', ' order by c.place)
    from unnest(in_stamped) with ordinality as c (name, place)
  );
  v_identity text := (
    select string_agg(format('r.%I::text', c.name), ', ' order by c.place)
    from unnest(in_identity) with ordinality as c (name, place)
  );
  v_lacking bigint[] := '{}';
  v_known jsonb := (select s.writable from jobrunner.synced_tables as s where s.name = in_table);
begin
  -- A row may have moved from one pass's item to another one's.
  if in_swept <> '{}' then
    with pages as materialized (
      select p.page_number, k.hash
      from jobrunner.seen_pages as p, unnest(p.keys) as k (hash)
      where p.user_id = in_user_id and p.job_name = in_name and p.entity = any (in_swept) and p.page_number >= 0
    )
    select coalesce(array_agg(l.hash), '{}') into v_lacking
    from pages as l
    where l.page_number = 0 and not exists (select from pages as s where s.page_number > 0 and s.hash = l.hash);
  end if;
  return query execute format(
    'select array[%1$s], %2$s, %6$s
    from synced.%3$I as r
    where r.user_id = $1 and num_nulls(%1$s) = 0%4$s%5$s
    group by array[%1$s]
    order by array[%1$s]
    limit $2',
    v_texts,
    coalesce(format('md5(string_agg(md5(row(%1$s)::text), '''' order by md5(row(%1$s)::text)))', v_stamped), 'null::text'),
    in_table, coalesce(jobrunner.live_filter(v_known), ''),
    case when (v_known ->> 'hides')::boolean then ' and r.hidden_at is null' else '' end,
    case when v_lacking = '{}' then 'false' else format('bool_and(jobrunner.key_hash(%s) = any ($3))', v_identity) end
  )
  using in_user_id, in_most, v_lacking;
end
$$;
comment on function jobrunner.item_rows is 'The items that a user''s stored rows are. Not for callers: runs.';
