"""Makes what there is to see: users that are synced, a tenant whose source is away, one whose client secret is wrong."""

from browser import wait
from sql import sql

wait("the first sync", lambda: sql("""
    select count(*) >= 40 from jobrunner.jobs as j join jobrunner.tenants as t on t.id = j.tenant_id
    where t.name <> 'globex' and j.last_success_at is not null""") == "t")
wait("a source that is away", lambda: sql("select count(*) > 0 from jobrunner.blocked_sources") == "t")
# As runs leave a job whose token endpoint refuses the client.
sql("""
    update jobrunner.jobs as j
    set consecutive_failures = 3, last_outcome = 'failed', last_error_kind = 'client_refused',
      last_error_at = now() - interval '2 hours', last_error = 'POST /token was answered with 401: invalid_client',
      due_at = now() + interval '50 min'
    from jobrunner.users as u, jobrunner.tenants as t
    where u.id = j.user_id and t.id = j.tenant_id and t.name = 'initech'
      and u.key in (select key from jobrunner.users where tenant_id = t.id order by key limit 3)""")
# Ann's waits for its next try while somebody looks.
sql("""
    update jobrunner.jobs as j set due_at = now() + interval '10 min'
    from jobrunner.users as u where u.id = j.user_id and u.key = 'ann' and j.worker_id is null""")
# A day of quarters, with an hour in which the hub was away.
sql("""
    insert into jobrunner.history_counts (at, measure, subject, detail, value)
    select date_bin('15 minutes', now(), '2000-01-01 00:00:00+00') - q * interval '15 minutes', m.measure, m.subject, m.detail, m.value
    from generate_series(1, 95) as q
    cross join lateral (values
      ('runs', 'metube.refresh', 'complete', 60 + 12 * sin(q / 8.0) - case when q between 40 and 44 then 45 else 0 end),
      ('runs', 'metube.refresh', 'partial', 4 + 2 * sin(q / 3.0)),
      ('runs', 'metube.refresh', 'failed', case when q between 40 and 44 then 40 else 2 end),
      ('requests', 'metube-hub', '2xx', 300 + 60 * sin(q / 8.0)),
      ('requests', 'metube-hub', '5xx', case when q between 40 and 44 then 90 else 1 end),
      ('request_seconds', 'metube-hub', '', 20 + 3 * sin(q / 5.0)),
      ('fresh_percent', 'metube.refresh', '', 99 - case when q between 36 and 44 then 2.0 * (q - 35) else 0 end),
      ('fresh_percent', 'metube.refresh', 'globex', case when q > 8 then 98 else 12 * q end)
    ) as m (measure, subject, detail, value)
    on conflict do nothing""")
sql("update jobrunner.chores set done_at = null where name in ('waiting', 'freshness')")
wait("counts", lambda: sql("select count(*) >= 2 from jobrunner.causes") == "t")
wait("freshness", lambda: sql("select count(*) >= 1 from jobrunner.counted_freshness") == "t")
