create or replace function jobrunner.counted_on(
  in_checkpoint jobrunner.checkpoints,
  in_fence bigint,
  in_more jobrunner.counters
) returns jobrunner.counters
language sql immutable parallel safe
as $$
-- Counters of an earlier run are begun anew.
select case
  when (in_checkpoint).run_fence = in_fence then jobrunner.add_counters((in_checkpoint).counters, in_more)
  else in_more
end
$$;
comment on function jobrunner.counted_on is 'What a checkpoint counts once a part of the run has been added to it.';
