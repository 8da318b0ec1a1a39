create or replace function jobrunner.wake_workers(
  in_since timestamptz default null,
  in_tenant_id bigint default null,
  in_jobs bigint default null,
  in_user_id bigint default null
) returns void
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Tells waiting workers, when this transaction commits, that in_jobs jobs (null: nobody has counted them) are due from in_since on
-- which were not before, or that in_tenant_id may have more jobs run than before. The payload is TIME:TENANT:JOBS:USER, the time in
-- microseconds since 1970, each of them empty for null; of what is due since before then, -1. The user is for PostgreSQL alone, which drops the second of two
-- notifications of a transaction that are alike.
-- A wake-up only: workers look by themselves as well, each second three seconds back.
begin
  perform pg_notify('jobrunner_due', concat_ws(':',
    coalesce(case when in_since < 'epoch' then '-1' else floor(date_part('epoch', nullif(in_since, 'infinity')) * 1000000)::bigint::text end, ''), coalesce(in_tenant_id::text, ''),
    coalesce(in_jobs::text, ''), coalesce(in_user_id::text, '')
  ));
end
$$;
comment on function jobrunner.wake_workers is
  'Wakes as many waiting workers as there are jobs, and says from when on these are due or whose limit was lifted.';
