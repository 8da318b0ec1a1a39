create or replace function jobrunner.make_lacking_jobs() returns integer
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Makes the standing jobs that users lack of what their tenants were given, due at once; returns how many. No verb
-- leaves any lacking; a restored or hand-edited database may. jobrunner migrate calls it.
select coalesce(sum(jobrunner.make_jobs(g.tenant_id, g.job_name)), 0)::integer
from (
  select t.tenant_id, t.job_name
  from jobrunner.tenant_jobs as t
  join jobrunner.job_files as f on f.name = t.job_name
  where exists (
    select from jobrunner.users as u
    where u.tenant_id = t.tenant_id and u.stands_for_tenant = (f.scope = 'tenant')
      and not exists (select from jobrunner.jobs as j where j.user_id = u.id and j.name = t.job_name)
  )
  order by t.tenant_id, t.job_name
) as g
$$;
comment on function jobrunner.make_lacking_jobs is 'Makes standing jobs that users lack.';
