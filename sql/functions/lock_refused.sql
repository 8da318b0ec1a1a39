create or replace function jobrunner.lock_refused(
  in_ends jobrunner.run_end[]
) returns bigint[]
language sql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Of runs whose credential was refused those whose user and tenant can be locked at once; returns their fences. With
-- its owner's rights, since a worker may not change a tenant, and a row's lock takes the right to.
-- Not for callers: lock_ends.
select coalesce(array_agg(l.fence), '{}')
from (
  select r.fence
  from unnest(in_ends) as r
  join jobrunner.users as u on u.id = r.user_id
  join jobrunner.tenants as t on t.id = u.tenant_id
  where r.outcome = 'needs_reauth' or r.error_kind = 'client_refused'
  order by u.id
  for share of u, t skip locked
) as l
$$;
comment on function jobrunner.lock_refused is 'Locks user and tenant of runs whose credential was refused. Not for callers: lock_ends.';
