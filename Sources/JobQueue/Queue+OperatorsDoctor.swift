public import JSON
import Postgres

/// What a doctor asks of the database.
public enum HealthQuestion: String, Sendable, CaseIterable {
    case server
    case roles
    case connections
    case workers
    case waiting
    case counting
    case causes
    case lateJobs
    case troubles
    case blockedSources
    case unreadValues
    case partitions
    case xminHolders
    case idleInTransaction
    case lockHolders
    case notificationQueue
    case secretKeys
    case lateKeys
    case jobFiles

    /// These need nothing of ours in the database.
    public static let ofServer: [HealthQuestion] = [
        .server, .xminHolders, .idleInTransaction, .notificationQueue,
    ]

    /// As rows of JSON.
    var statement: Statement { Statement("select row_to_json(q) from (\(sql)) as q") }

    fileprivate var sql: String {
        switch self {
        case .server:
            """
            select current_setting('server_version') as version,
              current_setting('server_version_num')::integer / 10000 as major
            """
        case .roles:
            """
            select k.kind, k.name, r.oid is not null as is_made,
              exists (
                select from pg_roles as l where l.rolcanlogin and not l.rolsuper and pg_has_role(l.oid, r.oid, 'usage')
              ) as has_login,
              (
                select string_agg(l.rolname, ', ' order by l.rolname)
                from pg_roles as l
                where l.rolcanlogin and not l.rolsuper and pg_has_role(l.oid, r.oid, 'usage')
                  and not has_database_privilege(l.oid, current_database(), 'connect')
              ) as shut_out
            from (
              select g.kind, g.place, coalesce(n.name, current_database() || '_' || g.kind) as name
              from unnest(array['worker', 'operator', 'reader', 'application']) with ordinality as g (kind, place)
              left join jobrunner.roles as n on n.kind = g.kind
            ) as k
            left join pg_roles as r on r.rolname = k.name
            order by k.place
            """
        case .connections:
            """
            select current_database() as database,
              coalesce(exists (
                select from aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) as a
                where a.grantee = 0 and a.privilege_type in ('CONNECT', 'TEMPORARY')
              ), false) as is_open
            from pg_database as d
            where d.datname = current_database()
            """
        case .workers:
            """
            select w.worker_id, w.host, w.pid, w.version, w.health,
              round(extract(epoch from w.silent_for)) as silent_seconds, array_to_string(jobrunner.other_files(o), ', ') as other_files
            from jobrunner.worker_health as w
            join jobrunner.workers as o on o.id = w.worker_id
            where w.ended_at is null
            order by w.worker_id
            """
        case .waiting:
            """
            select w.reason, w.tenant, w.jobs, w.may_be_more,
              round(extract(epoch from w.waiting_for)) as waiting_seconds
            from jobrunner.waiting_reasons as w
            """
        case .counting:
            // Who is silent for a minute is dead, and since then at the latest; one that ended says when.
            """
            select round(extract(epoch from now() - c.done_at)) as counted_seconds,
              c.done_at <= w.ended_at and not w.is_any_alive as is_of_the_dead
            from jobrunner.chores as c
            cross join (
              select max(coalesce(o.ended_at, o.session_gone_at, o.heartbeat_at + interval '1 minute')) as ended_at,
                coalesce(bool_or(o.ended_at is null and o.session_gone_at is null
                  and o.heartbeat_at >= now() - interval '1 minute'), false) as is_any_alive
              from jobrunner.workers as o
            ) as w
            where c.name = 'waiting'
            """
        case .causes: causesSQL
        case .lateJobs:
            """
            select l.tenant, l.job, count(*) as count,
              round(extract(epoch from max(l.late_by))) as late_seconds
            from jobrunner.late_jobs as l
            join jobrunner.job_files as f on f.name = l.job
            where l.late_by > f.every
            group by l.tenant, l.job
            order by l.tenant, l.job
            """
        case .troubles: troublesSQL
        case .blockedSources:
            """
            select s.tenant, s.source, s.reason, s.blocked_until
            from jobrunner.blocked_sources as s
            where s.blocked_until > now()
            order by s.tenant, s.source
            """
        case .unreadValues:
            """
            select k.job_name as job, split_part(k.entity, '#', 1) as entity, count(distinct k.user_id) as count,
              min(v.field) as field
            from jobrunner.checkpoints as k
            cross join lateral jsonb_object_keys(k.unread) as v (field)
            where k.unread is not null
            group by 1, 2
            order by 1, 2
            """
        case .partitions:
            // Counting further would only cost time.
            """
            select (select count(*) from (select from jobrunner.runs_other limit 1000) as o)
              as other_count,
              to_regclass(
                'jobrunner.runs_' || to_char((now() at time zone 'UTC')::date + 1, 'YYYYMMDD')
              ) is not null as has_tomorrow
            """
        case .xminHolders: xminHoldersSQL
        case .idleInTransaction:
            """
            select a.pid, a.application_name as name, coalesce(a.usename, '') as role,
              round(extract(epoch from now() - a.state_change)) as seconds
            from pg_stat_activity as a
            where a.datname = current_database() and a.state like 'idle in transaction%'
              and a.state_change < now() - interval '10 seconds'
            order by a.state_change
            """
        case .lockHolders: lockHoldersSQL
        case .notificationQueue:
            // Who listens is seen by nobody; who does not read on is in a transaction.
            """
            select round((u.usage * 100)::numeric, 1) as percent, a.pid, a.datname as database,
              coalesce(a.application_name, '') as name, round(extract(epoch from now() - a.xact_start)) as seconds
            from pg_notification_queue_usage() as u (usage)
            left join lateral (
              select * from pg_stat_activity as s
              where s.xact_start < now() - interval '10 seconds' and s.backend_type = 'client backend'
              order by s.xact_start
              limit 1
            ) as a on true
            where u.usage > 0.01
            """
        case .secretKeys:
            """
            select k.key_id, k.tenants, k.secrets, k.named
            from jobrunner.wrapping_keys(\(troublesListedMax)) as k
            """
        case .lateKeys:
            // A worker looks each ten seconds.
            """
            select t.name as tenant, extract(epoch from now() - k.renewal_asked_at)::bigint as waiting_seconds
            from jobrunner.tenant_keys as k
            join jobrunner.tenants as t on t.id = k.tenant_id
            where k.renewal_asked_at < now() - interval '5 minutes'
            order by k.renewal_asked_at
            limit \(troublesListedMax)
            """
        case .jobFiles:
            """
            select f.name, f.source, (extract(epoch from f.every) * 1000)::bigint as every_ms,
              f.spread, (extract(epoch from f.deadline) * 1000)::bigint as deadline_ms, f.per_second,
              array(
                select e.value ->> 'entity' from jsonb_array_elements(f.expanded -> 'entities')
                  with ordinality as e (value, ordinality)
                order by e.ordinality
              ) as entities
            from jobrunner.job_files as f
            order by f.name
            """
        }
    }
}

/// Jobs of one sort of trouble that are listed; the count tells of the rest.
public let troublesListedMax = 20

/// As they were last counted, in the view's order.
let causesSQL = """
    select c.source, c.tenant, c.error_kind, c.words, c.is_urgent, c.users, c.may_be_more, c.is_whole,
      round(extract(epoch from c.lasting)) as lasting_seconds, c.job, c.user_key as user, c.error, c.hint,
      round(extract(epoch from c.counted_ago)) as counted_seconds
    from jobrunner.causes as c
    """

/// Each sort of trouble with its count and its first jobs, those that have been in it the longest.
private let troublesSQL = """
    select p.trouble, p.count, p.tenant, p.user_key as user, p.job, p.entity, p.detail, k.about, k.words, k.hint
    from (
      select t.*, count(*) over (partition by t.trouble) as count,
        row_number() over (partition by t.trouble order by t.since, t.tenant, t.user_key, t.job, t.entity) as number
      from jobrunner.jobs_in_trouble as t
      where t.trouble not in ('failing', 'needs_reauth', 'client_refused', 'no_key', 'quarantined', 'stalled', 'deferred')
    ) as p
    join jobrunner.kinds_of_trouble as k on k.kind = p.trouble
    where p.number <= \(troublesListedMax)
    order by p.trouble, p.number
    """

/// Who holds what others wait for, or will.
private let lockHoldersSQL = """
    select h.pid, h.login, h.application, round(extract(epoch from h.lasting)) as seconds, h.state,
      array_to_string(h.tables, ', ') as tables, h.shuts_out, h.waiting, array_to_string(h.waits_for, ', ') as waits_for,
      h.migrates, h.query, h.is_shown, h.may_end, current_user::text as asker
    from jobrunner.lock_holders as h
    """

private let xminHoldersSQL = """
    select 'session ' || a.pid || coalesce(' (' || nullif(a.application_name, '') || ')', '') as what,
      round(extract(epoch from now() - a.xact_start)) as seconds
    from pg_stat_activity as a
    where a.backend_xmin is not null and a.xact_start < now() - interval '60 seconds'
      and a.pid <> pg_backend_pid()
    union all
    select 'prepared transaction ' || p.gid, round(extract(epoch from now() - p.prepared))
    from pg_prepared_xacts as p
    where p.prepared < now() - interval '60 seconds'
    union all
    select 'replication slot ' || s.slot_name, null
    from pg_replication_slots as s
    where not s.active and (s.xmin is not null or s.catalog_xmin is not null)
    order by seconds desc nulls last
    """

extension Queue {
    /// Who holds locks of the tables that a job's runs write, or of the machine's own.
    public func lockHolders(
        inTheWayOf job: String
    ) async throws -> [JSONValue] {
        try await ask(
            """
            \(lockHoldersSQL)
            where exists (
              select
              from unnest(h.tables) as t (name)
              where t.name like 'jobrunner.%' or t.name in (
                select 'synced.' || (e.value -> 'write' ->> 'table')
                from jobrunner.job_files as f
                cross join jsonb_array_elements(f.expanded -> 'entities') as e (value)
                where f.name = $1
              )
            )
            """, [.text(job)])
    }

    /// What helps a job that does not get on, as `doctor` says it of its cause; nil when it does, or goes on by itself.
    public func hint(for job: String, tenant: String, user: String) async throws -> String? {
        try await ask(
            """
            select jobrunner.cause_hint(case when j.quarantined_at is not null then 'quarantined' else j.last_error_kind end,
              f.source, t.name, j.name, u.key) as hint
            from jobrunner.jobs as j
            join jobrunner.job_files as f on f.name = j.name
            join jobrunner.users as u on u.id = j.user_id
            join jobrunner.tenants as t on t.id = u.tenant_id
            where t.name = $1 and u.key = $2 and j.name = $3 and j.state <> 'running' and j.paused_at is null
            """, [.text(tenant), .text(user), .text(job)]
        ).first?["hint"]?.string
    }

    /// The rows that answer each question, as JSON objects, seen in one snapshot each.
    public func examine(
        _ questions: [HealthQuestion]
    ) async throws -> [HealthQuestion: [JSONValue]] {
        var answers: [HealthQuestion: [JSONValue]] = [:]
        for question in questions {
            answers[question] = try await ask(question.sql, [])
        }
        return answers
    }
}
