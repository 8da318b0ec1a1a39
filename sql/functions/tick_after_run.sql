create or replace function jobrunner.tick_after_run(
  in_next timestamptz,
  in_now timestamptz,
  in_every interval,
  in_phase interval
) returns timestamptz
language sql stable parallel safe
as $$
-- Without a phase a period after the end of the run. Else the tick noted at the claim, unless it has passed or the
-- clock was ahead when it was noted.
select case
  when in_phase is null then in_now + in_every
  when in_next <= in_now then in_now
  else least(in_next, jobrunner.next_tick(in_now, in_every, in_phase))
end
$$;
comment on function jobrunner.tick_after_run is
  'When a job that ended well is due again: at the tick noted at its claim, never later than the next one by today''s clock.';
