create or replace function jobrunner.changed_rows(
  in_counters jobrunner.counters
) returns bigint
language sql immutable parallel safe
return (in_counters).inserted + (in_counters).updated + (in_counters).deleted + (in_counters).swept;
comment on function jobrunner.changed_rows is 'How many rows of synced tables were changed; pushes left out.';
