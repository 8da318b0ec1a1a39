create or replace function jobrunner.make_lacking_jobs() returns integer
language sql volatile
set search_path = pg_catalog
as $$
-- Makes the standing jobs that users lack of what their tenants were given, due at once; returns how many. No verb leaves
-- any lacking; a restored or hand-edited database may. jobrunner migrate calls it.
select coalesce(sum(jobrunner.make_jobs(g.tenant_id, g.job_name)), 0)::integer
from (select t.tenant_id, t.job_name from jobrunner.tenant_jobs as t order by t.tenant_id, t.job_name) as g
$$;
comment on function jobrunner.make_lacking_jobs is 'Makes standing jobs that users lack.';
