create or replace function jobrunner.waiting_parts(
  in_user_id bigint,
  in_name text,
  in_entities text[]
) returns setof text
language sql stable
set search_path = pg_catalog
as $$
-- The checkpoints of items of which rows wait for a second look. Not for callers: runs.
select distinct p.entity
from jobrunner.seen_pages as p
where p.user_id = in_user_id and p.job_name = in_name and p.entity = any (in_entities) and p.page_number = 0
  and p.keys <> '{}'
$$;
comment on function jobrunner.waiting_parts is 'The checkpoints of items of which rows wait for a second look. Not for callers: runs.';
