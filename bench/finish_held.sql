select f.verdict
from (
  select array_agg(j.user_id order by j.user_id) as users, array_agg(j.name order by j.user_id) as names,
    array_agg(j.fence order by j.user_id) as fences, array_agg(j.nonce order by j.user_id) as nonces,
    count(*)::integer as held
  from jobrunner.jobs as j
  where j.worker_id = $1
) as h
cross join lateral jobrunner.finish_runs(
  h.users, h.names, h.fences, h.nonces, array_fill('complete'::text, array[h.held]),
  array_fill(null::text, array[h.held]), array_fill(null::text, array[h.held]), array_fill(null::text, array[h.held]),
  array_fill(null::bigint, array[h.held]), array_fill(0::bigint, array[h.held]), array_fill(null::text, array[h.held]),
  array_fill(null::text, array[h.held]), array_fill(false, array[h.held]), array_fill(true, array[h.held]),
  array_fill(null::text, array[h.held])
) as f
where h.held > 0
