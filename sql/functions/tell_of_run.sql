create or replace function jobrunner.tell_of_run(
  in_user_id bigint,
  in_name text,
  in_fence bigint,
  in_kind text,
  in_entity text,
  in_details jsonb
) returns integer
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Tells of one entity in a run, an event for each element of in_details. In a transaction that begins with hold_job.
-- Returns how many its job file asked for. Not for callers: runs.
select jobrunner.tell_events(
  in_kind, array_agg(in_user_id), array_agg(in_name), array_agg(in_fence), in_entity,
    array_agg(d.value order by d.number)
)
from jsonb_array_elements(in_details) with ordinality as d (value, number);
$$;
comment on function jobrunner.tell_of_run is 'Tells readers what happened to an entity in a run. Not for callers: runs.';
