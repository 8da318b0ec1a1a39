create or replace function jobrunner.deferral(
  in_asked interval,
  in_deferrals integer,
  in_chance double precision
) returns interval
language sql immutable strict
as $$
-- A source that always says "at once" would otherwise be asked as fast as it answers.
-- The jitter keeps many users who were told the same time from coming back together.
select least(
  interval '48 hours',
  greatest(in_asked, least(interval '5 minutes', interval '1 second' * power(2, least(in_deferrals, 20) - 1)))
    + in_chance * least(greatest(in_asked, interval '1 second') / 10, interval '10 seconds')
)
$$;
comment on function jobrunner.deferral is
  'Wait of the n-th deferral in a row: what was asked for, at least 1 s × 2^(n-1) up to 5 min, and up to a tenth or 10 s more; at most 48 h. The chance is a random number from 0 to 1.';
