create or replace function jobrunner.changed_columns(
  in_before jsonb,
  in_after jsonb
) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
-- The entities of a job file that have a column which is new or read otherwise than before, with the span over which
-- their users' full passes are spread: {"entity": {"at", "over"}}, as job_files.columns_changed. Not for callers:
-- store_job_file.
select coalesce(jsonb_object_agg(
  after ->> 'entity', jsonb_build_object('at', now(), 'over', coalesce(after #>> '{incremental,full_every}', '1d'))
), '{}')
from jsonb_array_elements(in_after -> 'entities') as after
join jsonb_array_elements(in_before -> 'entities') as before
  on before ->> 'entity' = after ->> 'entity' and before #> '{write,table}' = after #> '{write,table}'
where exists (
  select
  from jsonb_each(after #> '{records,fields}') as c
  where c.value is distinct from before #> array['records', 'fields', c.key]
)
$$;
comment on function jobrunner.changed_columns is 'Entities with columns that no full pass has filled. Not for callers: store_job_file.';
