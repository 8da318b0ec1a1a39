create or replace function jobrunner.lacking_rows(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_table text,
  in_key text[],
  in_most integer
) returns table (
  hash bigint,
  key text[]
)
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Rows that the entity's last full pass lacked, by their keys, for the source to be asked: in_most at most, others first in
-- each pass. Unsent edits are none. Not for callers: runs.
begin
  return query execute format(
    'select jobrunner.key_hash(%2$s), array[%2$s]
    from synced.%1$I as t
    where t.user_id = $1 and t.synced and jobrunner.key_hash(%2$s) in (
      select unnest(p.keys)
      from jobrunner.seen_pages as p
      where p.user_id = $1 and p.job_name = $2 and p.entity = $3 and p.page_number = 0
    )
    order by hashint8extended(jobrunner.key_hash(%2$s), (
      select k.pass_number from jobrunner.checkpoints as k where k.user_id = $1 and k.job_name = $2 and k.entity = $3
    ))
    limit $4',
    in_table,
    (select string_agg(format('t.%I::text', c.name), ', ' order by c.place) from unnest(in_key) with ordinality as c (name, place)))
  using in_user_id, in_name, in_entity, in_most;
end
$$;
comment on function jobrunner.lacking_rows is 'Rows that a full pass lacked, for the source to be asked. Not for callers: runs.';
