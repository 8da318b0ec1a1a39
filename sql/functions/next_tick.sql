create or replace function jobrunner.next_tick(
  in_after timestamptz,
  in_every interval,
  in_phase interval
) returns timestamptz
language sql stable parallel safe
as $$
-- Stable, as date_part is: else the planner would call it for each row instead of writing it into the caller's plan.
-- In double precision, where a time of today has 2^-22 s.
select case
  when in_phase is null then in_after + in_every
  else to_timestamp(
    (floor((date_part('epoch', in_after) - date_part('epoch', in_phase)) / date_part('epoch', in_every)) + 1)
      * date_part('epoch', in_every) + date_part('epoch', in_phase)
  )
end
$$;
comment on function jobrunner.next_tick is
  'First tick of a job strictly after a time. Ticks stand on a fixed grid of epoch + n × period + phase, so nothing drifts and missed ticks coalesce; without a phase the next one is a period later.';
