create or replace function jobrunner.phase_of(
  in_user_id bigint,
  in_name text,
  in_every interval,
  in_spread boolean
) returns interval
language sql immutable parallel safe
as $$
-- Written into the caller's plan: it is not strict, and its user is made text by a cast, which unlike || alone is
-- immutable.
select case
  when in_spread then make_interval(secs =>
    (hashtextextended(in_name || '/' || in_user_id::text, 0) & 9223372036854775807)
      % greatest(floor(extract(epoch from in_every))::bigint, 1))
  when not in_spread then interval '0'
end
$$;
comment on function jobrunner.phase_of is
  'A user''s fixed place within the period of a job, in whole seconds: the hash of user and job, so 100,000 hourly jobs are 28 a second; null where the period begins with each success.';
