create or replace function jobrunner.running_of_tenant(
  in_tenant_id bigint
) returns bigint
language sql stable
as $$
-- How many jobs of a tenant with max_running run now; who has not the tenant's turn may see one that a claim is about
-- to take.
select count(*)
from jobrunner.limited_runs as l
join jobrunner.jobs as j on j.user_id = l.user_id and j.name = l.name and j.fence = l.fence
where l.tenant_id = in_tenant_id and j.worker_id is not null
$$;
comment on function jobrunner.running_of_tenant is 'How many jobs of a tenant with max_running run now.';
