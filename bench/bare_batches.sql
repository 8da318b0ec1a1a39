-- pgbench: one batch, claimed in one transaction and finished in the next, with all that the product writes and
-- none of what it decides. Two clients pass by what the other has locked.
with picked as materialized (
  select j.ctid
  from jobrunner.jobs as j
  where claimable_at <= now() and state = 'waiting'
  order by claimable_at, user_id
  limit 500
  for no key update skip locked
), claimed as (
  update jobrunner.jobs as j
  set worker_id = 1,
    fence = nextval('jobrunner.fences'),
    nonce = gen_random_uuid(),
    started_at = now(),
    deadline_at = now() + j.deadline,
    next_due_at = j.due_at + j.every
  where j.ctid = any (array(select p.ctid from picked as p))
  returning j.user_id, j.fence, j.nonce
)
select coalesce(array_agg(user_id), '{}') as users, coalesce(array_agg(fence), '{}') as fences,
  coalesce(array_agg(nonce), '{}') as nonces
from claimed
\gset
update jobrunner.jobs as j
set worker_id = null,
  next_due_at = null,
  started_at = null,
  deadline_at = null,
  due_at = j.next_due_at,
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
