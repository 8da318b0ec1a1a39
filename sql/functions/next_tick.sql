create or replace function jobrunner.next_tick(
  in_after timestamptz,
  in_every interval,
  in_phase interval
) returns timestamptz
language sql immutable strict parallel safe
as $$
select to_timestamp(
  (floor((extract(epoch from in_after) - extract(epoch from in_phase)) / extract(epoch from in_every)) + 1)
    * extract(epoch from in_every) + extract(epoch from in_phase)
)
$$;
comment on function jobrunner.next_tick is
  'First tick of a job strictly after a time. Ticks stand on a fixed grid of epoch + n × period + phase, so nothing drifts and missed ticks coalesce.';
