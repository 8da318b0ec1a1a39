drop function if exists jobrunner.wake_workers(timestamptz);
create or replace function jobrunner.wake_workers(
  in_since timestamptz default null,
  in_tenant_id bigint default null
) returns void
language sql volatile
set search_path = pg_catalog
as $$
-- Tells waiting workers, when this transaction commits, that jobs are due from in_since on which were not before, or that
-- in_tenant_id may have more jobs run than before. The payload is TIME:TENANT, the time in microseconds since 1970, each of them
-- empty for null. A wake-up only: workers look by themselves as well, each second three seconds back.
select pg_notify(
  'jobrunner_due',
  coalesce(floor(date_part('epoch', in_since) * 1000000)::bigint::text, '') || ':' || coalesce(in_tenant_id::text, '')
)
$$;
comment on function jobrunner.wake_workers is 'Wakes waiting workers, and says from when on jobs are due or whose limit was lifted.';
