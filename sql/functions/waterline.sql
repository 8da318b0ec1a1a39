create or replace function jobrunner.waterline(
  in_weights integer[],
  in_running integer[],
  in_slots integer
) returns double precision
language sql immutable strict parallel safe
as $$
select min(level)
from (
  select (in_slots + sum(running) over filled)::double precision / sum(weight) over filled as level
  from unnest(in_weights, in_running) as tenant (weight, running)
  window filled as (order by running::double precision / weight rows unbounded preceding)
) as levels
$$;
comment on function jobrunner.waterline is
  'Running jobs per unit of weight at which the free slots are used up when those with least get theirs first (max-min fairness).';
