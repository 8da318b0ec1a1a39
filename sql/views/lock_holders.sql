create or replace view jobrunner.lock_holders as
with locks as materialized (
  select l.pid, l.locktype, l.database, l.relation, l.mode, l.granted, l.waitstart
  from pg_locks as l
  where l.pid <> pg_backend_pid()
), ours as materialized (
  select l.pid, l.granted, l.mode, n.nspname || '.' || c.relname as name,
    l.granted and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') as shuts_out
  from locks as l
  join pg_database as d on d.oid = l.database and d.datname = current_database()
  join pg_class as c on c.oid = l.relation and c.relkind in ('r', 'p')
  join pg_namespace as n on n.oid = c.relnamespace and n.nspname in ('jobrunner', 'synced')
  where l.locktype = 'relation'
), waits as materialized (
  select w.pid, w.since, b.pid as holder
  from (
    select l.pid, min(l.waitstart) as since
    from locks as l
    where not l.granted and l.pid in (select o.pid from ours as o)
    group by l.pid
  ) as w
  cross join lateral unnest(pg_blocking_pids(w.pid)) as b (pid)
  where b.pid <> pg_backend_pid()
), holders as (
  select o.pid from ours as o where o.shuts_out
  union
  select w.holder from waits as w
  union
  -- Whoever has written and thinks now keeps rows from others, who may come at any time.
  select o.pid
  from ours as o
  join pg_stat_activity as a on a.pid = o.pid
  where o.granted and o.mode in ('RowShareLock', 'RowExclusiveLock') and a.state like 'idle in transaction%'
)
select h.pid, a.usename::text as login, a.application_name as application, a.xact_start as began_at,
  statement_timestamp() - a.xact_start as lasting, a.state, t.tables, coalesce(t.shuts_out, false) as shuts_out,
  w.waiting, w.waiting_for, pg_blocking_pids(h.pid) as waits_for,
  exists (
    select from jobrunner.migrating as m
    where m.pid = h.pid and coalesce(m.session_started_at = a.backend_start, true)
  ) as migrates,
  case when r.is_shown then jobrunner.bare_query(a.query) end as query, r.is_shown, r.may_end
from holders as h
left join pg_stat_activity as a on a.pid = h.pid
cross join lateral (
  select array_agg(distinct o.name order by o.name) filter (where o.shuts_out or not s.shuts_out) as tables,
    bool_or(o.shuts_out) as shuts_out
  from ours as o
  cross join (select bool_or(o.shuts_out) as shuts_out from ours as o where o.pid = h.pid) as s
  where o.pid = h.pid and o.granted and o.mode <> 'AccessShareLock'
) as t
cross join lateral (
  select count(distinct w.pid) as waiting, statement_timestamp() - min(w.since) as waiting_for
  from waits as w
  where w.holder = h.pid
) as w
cross join lateral (
  select coalesce(pg_has_role(a.usesysid, 'usage'), false) or pg_has_role('pg_read_all_stats', 'usage') as is_shown,
    coalesce(pg_has_role(a.usesysid, 'member'), false) or pg_has_role('pg_signal_backend', 'usage') as may_end
) as r
-- What is over in a moment is nothing to tell of.
where coalesce(statement_timestamp() - a.xact_start, w.waiting_for, interval '1 hour') > interval '500 milliseconds'
order by w.waiting desc, t.shuts_out desc nulls last, a.xact_start, h.pid;
comment on view jobrunner.lock_holders is 'Who holds what workers and commands wait for? A session that locks others out of a table of ours, that one of ours waits for, or that has written and is idle in its transaction. It tells of a session what pg_stat_activity shows to the login that asks.';
comment on column jobrunner.lock_holders.pid is 'The server''s process of the session; 0: a prepared transaction (pg_prepared_xacts).';
comment on column jobrunner.lock_holders.login is 'Its login; null: a process of the server.';
comment on column jobrunner.lock_holders.application is 'What it calls itself.';
comment on column jobrunner.lock_holders.began_at is 'When its transaction began; null: not shown.';
comment on column jobrunner.lock_holders.lasting is 'The same as a span.';
comment on column jobrunner.lock_holders.state is 'What it does: active, idle in transaction; null: not shown.';
comment on column jobrunner.lock_holders.tables is 'The tables that it locks others out of; else those of which it may hold rows.';
comment on column jobrunner.lock_holders.shuts_out is 'True: nobody writes these tables before it ends, or nobody reads them either.';
comment on column jobrunner.lock_holders.waiting is 'Sessions that wait for it now; each gives up after its lock_timeout.';
comment on column jobrunner.lock_holders.waiting_for is 'For how long the first of them does.';
comment on column jobrunner.lock_holders.waits_for is 'Sessions that it waits for itself, which are to end first.';
comment on column jobrunner.lock_holders.migrates is 'True: it has the turn of migrate.';
comment on column jobrunner.lock_holders.query is 'Its last statement without values (bare_query); null: not shown.';
comment on column jobrunner.lock_holders.is_shown is 'False: the login that asks sees neither its transaction nor its statement; it needs pg_read_all_stats for that.';
comment on column jobrunner.lock_holders.may_end is 'True: the login that asks may end it; else it needs pg_signal_backend, and of a superuser''s session to be one.';
