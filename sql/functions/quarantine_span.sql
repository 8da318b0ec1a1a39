create or replace function jobrunner.quarantine_span(
  in_times integer
) returns interval
language sql immutable strict parallel safe
as $$
select least(interval '24 hours', interval '1 minute' * power(2, least(greatest(in_times, 1), 20) - 1))
$$;
comment on function jobrunner.quarantine_span is
  'How long a job is set aside for the n-th time in a row: 1 min, doubling up to 24 h, so that a job that only shared its worker with a bad one comes back by itself.';
