create or replace function jobrunner.backoff(
  in_failures integer,
  in_every interval,
  in_chance double precision
) returns interval
language sql immutable strict
as $$
select greatest(
  interval '1 second',
  in_chance * least(
    in_every * 8,
    interval '6 hours',
    interval '30 seconds' * power(2, least(in_failures, 20) - 1)
  )
)
$$;
comment on function jobrunner.backoff is
  'Wait after the n-th failure in a row: full jitter under 30 s × 2^(n-1), capped at the period × 8 and 6 h. The chance is a random number from 0 to 1.';
