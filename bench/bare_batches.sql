-- pgbench: one batch, claimed in one transaction and finished in the next, with all that the product writes and
-- none of what it decides. Each client has tenants of its own, so that none waits for another.
-- Variables: first_tenant, tenants, clients, turn (-1).
\set turn :turn + 1
\set tenant :first_tenant + (:turn * :clients + :client_id) % :tenants
with picked as materialized (
  select user_id, name, due_at
  from jobrunner.jobs
  where tenant_id = :tenant and state = 'waiting' and priority = 0 and due_at <= now()
  order by due_at
  limit 500
  for no key update skip locked
), claimed as (
  update jobrunner.jobs as j
  set worker_id = 1,
    fence = nextval('jobrunner.fences'),
    nonce = gen_random_uuid(),
    scheduled_at = p.due_at,
    started_at = now(),
    deadline_at = now() + j.deadline
  from picked as p
  where j.user_id = p.user_id and j.name = p.name
  returning j.user_id, j.fence, j.nonce
)
select coalesce(array_agg(user_id), '{}') as users, coalesce(array_agg(fence), '{}') as fences,
  coalesce(array_agg(nonce), '{}') as nonces
from claimed
\gset
update jobrunner.jobs as j
set worker_id = null,
  scheduled_at = null,
  started_at = null,
  deadline_at = null,
  due_at = j.due_at + j.every,
  consecutive_failures = 0,
  crashes = 0,
  stalled_runs = 0,
  last_outcome = 'complete',
  last_error_kind = null,
  last_error = null,
  last_error_at = null,
  last_run_at = now(),
  last_success_at = now()
from unnest(:users::bigint[], :fences::bigint[], :nonces::uuid[]) as g (user_id, fence, nonce)
where j.user_id = g.user_id and j.name = 'bench.idle' and j.fence = g.fence and j.nonce = g.nonce;
