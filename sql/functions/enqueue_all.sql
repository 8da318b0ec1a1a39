create or replace function jobrunner.enqueue_all(
  in_tenant text,
  in_job text,
  in_full boolean default false,
  in_entity text default null,
  in_force boolean default false
) returns integer
language sql volatile
set search_path = pg_catalog
as $$
-- Asks for a run of a job for all users of a tenant; returns how many jobs. Raises as enqueue does.
select count(jobrunner.enqueue_job(j, in_full, in_entity, in_force))::integer
from jobrunner.jobs_named(in_tenant, null, in_job) as j
$$;
comment on function jobrunner.enqueue_all is 'Asks for a run of a job for all users of a tenant.';
