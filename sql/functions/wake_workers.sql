create or replace function jobrunner.wake_workers(
  in_since timestamptz default '-infinity'
) returns void
language sql volatile
set search_path = pg_catalog
as $$
-- Tells waiting workers to claim, when this transaction commits. in_since: jobs are due from then on that were not before;
-- its microseconds since 1970 are the payload, none for -infinity. A wake-up only: workers look by themselves as well.
select pg_notify(
  'jobrunner_due',
  case when isfinite(in_since) then floor(date_part('epoch', in_since) * 1000000)::bigint::text else '' end
)
$$;
comment on function jobrunner.wake_workers is 'Wakes waiting workers, and says how far back they must look.';
