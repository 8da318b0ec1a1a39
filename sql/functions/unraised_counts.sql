create or replace function jobrunner.unraised_counts(
  in_user_id bigint,
  in_source text,
  in_field text,
  in_records text[]
) returns setof text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
-- Those of these records in which the user's one is not known to have arrived at the source. Not for callers: runs.
  select g.record
  from unnest(in_records) as g (record)
  where not exists (
    select from jobrunner.raised_counts as r
    where r.user_id = in_user_id and r.source = in_source and r.field = in_field and r.record = g.record
      and r.arrived_at is not null
  )
  order by g.record
$$;
comment on function jobrunner.unraised_counts is 'The records in which a user''s one has not arrived. Not for callers: runs.';
