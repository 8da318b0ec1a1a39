create or replace function jobrunner.wake_workers(
  in_since timestamptz default null,
  in_tenant_id bigint default null,
  in_jobs bigint default null,
  in_user_id bigint default null
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Tells workers, when this transaction commits, that in_jobs jobs (null: nobody has counted them) are due from in_since
-- on which were not before, of in_tenant_id or of any tenant; or, without in_since, that the tenant's weight or limit
-- has changed. What is due since now is announced by a notification, which only wakes: workers look by themselves as
-- well, each second three seconds back. What was due before, and a tenant's change, also stands in announcements, which
-- every worker reads. The payload is TIME:JOBS:USER, the time in microseconds since 1970, each of them empty for null.
-- The user is for PostgreSQL alone, which drops the second of two notifications of a transaction that are alike. While
-- somebody lets the queue of notifications fill up it does without one.
begin
  if in_since < now() - interval '1 second' or in_tenant_id is not null then
    insert into jobrunner.announcements (since, tenant_id) values (in_since, in_tenant_id);
    perform jobrunner.notify('jobrunner_due', concat('::', in_tenant_id), in_fullest => 0.01);
  else
    perform jobrunner.notify('jobrunner_due', concat_ws(':',
      coalesce(floor(date_part('epoch', nullif(in_since, 'infinity')) * 1000000)::bigint::text, ''),
        coalesce(in_jobs::text, ''),
      coalesce(in_user_id::text, '')
    ), in_fullest => 0.01);
  end if;
end
$$;
comment on function jobrunner.wake_workers is
  'Wakes workers, and says from when on jobs are due, or whose limit or weight has changed.';
