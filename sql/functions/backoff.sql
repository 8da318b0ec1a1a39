create or replace function jobrunner.backoff(
  in_failures integer,
  in_every interval
) returns interval
language sql volatile strict
as $$
select greatest(
  interval '1 second',
  random() * least(
    in_every * 8,
    interval '6 hours',
    interval '30 seconds' * power(2, least(in_failures, 20) - 1)
  )
)
$$;
comment on function jobrunner.backoff is
  'Wait after the n-th failure in a row: full jitter under 30 s × 2^(n-1), capped at the period × 8 and 6 h.';
