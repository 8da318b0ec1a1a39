create or replace function jobrunner.stamped(
  in_known jsonb,
  in_values jsonb
) returns jsonb
language sql stable strict
set search_path = pg_catalog
as $$
select coalesce(jsonb_object_agg(s.name, now()), '{}') || in_values
from jsonb_array_elements_text(in_known -> 'stamps') as s (name)
$$;
comment on function jobrunner.stamped is
  'Values of a local edit with now() for the times of change that are not given. Not for callers.';
