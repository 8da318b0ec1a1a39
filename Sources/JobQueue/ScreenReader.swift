public import JSON
public import Postgres
import Synchronization

/// Who looks at a page, and by which role of the server.
public struct Viewer: Sendable, Equatable {
    /// His name, as the audit has it; nil when nobody has signed in.
    public var person: String?
    /// The role that the session takes on for him; nil means none but the login's own.
    public var role: String?

    /// Somebody.
    public init(person: String? = nil, role: String? = nil) {
        self.person = person
        self.role = role
    }
}

/// What a role may see and do on a page.
public struct ScreenRights: Sendable, Equatable {
    /// Of each view and table the columns that it may read.
    public var readable: [String: Set<String>] = [:]
    /// It may act on jobs.
    public var mayAct = false
    /// It may ask why a job does not run.
    public var mayExplain = false
}

/// A viewer's role that the server's login may not take on, or that is gone.
public struct RoleRefused: Error, Sendable, Equatable {
    /// The role.
    public let role: String

    /// The role that can't be taken on.
    public init(role: String) { self.role = role }
}

/// What an act did.
public struct Acted: Sendable, Equatable {
    /// Jobs that its filter meant.
    public var meant: Int
    /// Those of them that are not as they were.
    public var changed: Int

    /// What came of an act.
    public init(meant: Int, changed: Int) {
        self.meant = meant
        self.changed = changed
    }
}

/// What the views said, all of one moment.
public struct Looked: Sendable {
    /// The rows of each question, in the order of the questions.
    public var rows: [[JSONValue]]
    /// The moment, ISO 8601 in UTC.
    public var at: String
    /// What the viewer's role may.
    public var rights: ScreenRights
    /// The answers to what `jobrunner health` asks, of the same moment.
    public var health: [HealthQuestion: [JSONValue]] = [:]
    /// Why jobs of a user do or do not run, by job; empty where the role may not ask.
    public var reasons: [String: String] = [:]
    /// How many of the user's edits wait to be sent, and how many of these were refused, by table.
    public var edits: [JSONValue] = []
}

/// The pages' side of the queue: it reads views and calls verbs, by the role of whoever looks.
public final class ScreenReader: Sendable {
    private struct Known: Sendable {
        var rights: ScreenRights
        var until: ContinuousClock.Instant
    }

    private let database: Database
    private let known = Mutex<[String: Known]>([:])
    /// A role's rights are believed for so long.
    private static let trust = Duration.seconds(30)
    /// An act on many jobs may take so long.
    private static let actMilliseconds = 15_000

    /// Reads by the sessions of a pool.
    public init(_ database: Database) { self.database = database }

    /// Who somebody is that has signed in by a name; nobody in particular where the table has none of it.
    public func viewer(signedInAs name: String) async throws -> Viewer {
        try await run { session in
            let rows = try session.query(
                Statement(
                    "select p.person, p.role from jobrunner.people as p where p.sign_in = $1",
                    .text(name)))
            return try rows.map { Viewer(person: try $0.text(0), role: try $0.text(1)) }.first
                ?? Viewer(person: name)
        }
    }

    /// Asks the questions in one transaction that changes nothing, and of which all see the same moment: also what
    /// `health` asks, and why the jobs of a user do or do not run.
    ///
    /// Throws `DatabaseError`, `RoleRefused`, or `QueueError` for names that mean nothing.
    public func look(
        by viewer: Viewer, _ queries: [ViewQuery], health: [HealthQuestion] = [],
        explaining user: (tenant: String, key: String)? = nil
    ) async throws -> Looked {
        let rights = try await rights(of: viewer)
        let told = rights.mayExplain ? user.map { Self.telling($0.tenant, $0.key) } ?? [] : []
        return try await run { session in
            let before = [
                Statement("set transaction isolation level repeatable read, read only"),
                viewer.taken, Statement("select to_json(now())"),
            ]
            var statements = before
            statements += queries.map {
                $0.statement(readable: rights.readable["\($0.view)"] ?? [])
            }
            statements += health.map(\.statement)
            statements += told
            let answers = try session.transactionTurn(statements)
            let rows = try answers.dropFirst(before.count).prefix(queries.count + health.count).map
            {
                try $0.map { try parse($0.json(0)).value ?? .null }
            }
            let now = try parse(answers[2].only().json(0)).value?.string ?? ""
            var looked = Looked(rows: Array(rows.prefix(queries.count)), at: now, rights: rights)
            looked.health = Dictionary(
                uniqueKeysWithValues: zip(health, rows.dropFirst(queries.count)))
            if let reasons = answers.suffix(told.count).first {
                for row in reasons where told.count == 2 {
                    looked.reasons[try row.text(0)] = try row.text(1)
                }
            }
            if told.count == 2, let edits = answers.last {
                looked.edits = try edits.map { try parse($0.json(0)).value ?? .null }
            }
            return looked
        }
    }

    /// Why a user's jobs do or do not run, and which of his edits wait.
    private static func telling(_ tenant: String, _ user: String) -> [Statement] {
        let reasons = Statement(
            """
            select j.job, jobrunner.explain_job($1, $2, j.job) from jobrunner.job_overview as j
            where j.user_id = (select u.id from jobrunner.users as u join jobrunner.tenants as t on t.id = u.tenant_id
              where t.name = $1 and u.key = $2)
            """, .text(tenant), .text(user))
        // Of a user who is not there nothing is said, and no fault is found.
        let edits = Statement(
            """
            select row_to_json(e) from jobrunner.users as u
            join jobrunner.tenants as t on t.id = u.tenant_id
            cross join lateral jobrunner.waiting_edits(t.name, u.key) as e
            where t.name = $1 and u.key = $2
            """, .text(tenant), .text(user))
        return [reasons, edits]
    }

    /// How many jobs a filter means, up to 10,001.
    public func count(by viewer: Viewer, _ jobs: ViewQuery.Jobs) async throws -> Int {
        _ = try await rights(of: viewer)
        return try await run { session in
            let counted = Statement(
                "select count(*) from jobrunner.jobs_meant($1, $2, $3, $4, $5)", binds: jobs.binds)
            return try session.transactionTurn([viewer.taken, counted])[1].only().int(0)
        }
    }

    /// A user's first rows of a table, which leaves a line in the audit.
    public func rows(
        by viewer: Viewer, tenant: String, user: String, table: String
    ) async throws -> [JSONValue] {
        _ = try await rights(of: viewer)
        return try await run { session in
            let asked = Statement(
                "select jobrunner.look_at_rows($1, $2, $3)", .text(tenant), .text(user),
                .text(table))
            return try session.transactionTurn(viewer.acting(why: nil) + [asked]).last?.map {
                try parse($0.json(0)).value ?? .null
            } ?? []
        }
    }

    /// Does something to all jobs of a filter, for a reason.
    public func act(
        by viewer: Viewer, _ act: String, on jobs: ViewQuery.Jobs, confirmed: Int, why: String?
    ) async throws -> Acted {
        let binds = [.text(act), .int4(Int32(clamping: confirmed))] + jobs.binds
        let verb = Statement(
            "select a.jobs, a.changed from jobrunner.act_on_jobs($1, $2, $3, $4, $5, $6, $7) as a",
            binds: binds)
        return try await change(by: viewer, verb, why: why) { row in
            Acted(meant: try row.int(0), changed: try row.int(1))
        }
    }

    /// Closes the breaker of a tenant's source, for a reason; the jobs that go on are those that changed.
    public func closeBreaker(
        by viewer: Viewer, tenant: String, source: String, why: String?
    ) async throws -> Acted {
        let verb = Statement(
            "select jobrunner.close_breaker($1, $2)", .text(tenant), .text(source))
        return try await change(by: viewer, verb, why: why) { row in
            Acted(meant: try row.int(0), changed: try row.int(0))
        }
    }

    /// Asks for another key of a tenant, for a reason; false when one is asked for already, or it has none.
    public func renewKey(by viewer: Viewer, tenant: String, why: String?) async throws -> Bool {
        let verb = Statement("select jobrunner.renew_tenant_key($1)", .text(tenant))
        return try await change(by: viewer, verb, why: why) { try $0.bool(0) }
    }

    private func change<Result: Sendable>(
        by viewer: Viewer, _ verb: Statement, why: String?,
        _ read: @escaping @Sendable (Row) throws -> Result
    ) async throws -> Result {
        _ = try await rights(of: viewer)
        return try await run { session in
            try session.withoutTurnLimit { session in
                let long = Statement(
                    "select set_config('statement_timeout', $1, true)",
                    .text(String(Self.actMilliseconds)))
                let answers = try session.transactionTurn(viewer.acting(why: why) + [long, verb])
                return try read(answers[answers.count - 1].only())
            }
        }
    }

    func rights(of viewer: Viewer) async throws -> ScreenRights {
        let key = viewer.role ?? ""
        if let found = known.withLock({ $0[key] }), found.until > .now { return found.rights }
        let rights = try await run { session in
            let columns = Statement(
                """
                select c.relname::text, array_agg(a.attname::text)
                from pg_class as c
                join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                where c.relnamespace = 'jobrunner'::regnamespace and c.relkind in ('r', 'p', 'v')
                  and has_column_privilege(c.oid, a.attnum, 'select')
                group by c.relname
                """)
            let verbs = Statement(
                """
                select coalesce(bool_or(has_function_privilege(p.oid, 'execute')) filter (where p.proname = 'act_on_jobs'), false),
                  coalesce(bool_or(has_function_privilege(p.oid, 'execute')) filter (where p.proname = 'explain_job'), false)
                from pg_proc as p
                where p.pronamespace = 'jobrunner'::regnamespace and p.proname in ('act_on_jobs', 'explain_job')
                """)
            let answers: [Rows]
            do {
                answers = try session.transactionTurn([viewer.taken, columns, verbs])
            } catch let error as DatabaseError where error.statementIndex == 0 {
                throw RoleRefused(role: key)
            }
            var rights = ScreenRights()
            for row in answers[1] {
                rights.readable[try row.text(0)] = Set(try row.textArray(1).compactMap { $0 })
            }
            let may = try answers[2].only()
            (rights.mayAct, rights.mayExplain) = (try may.bool(0), try may.bool(1))
            return rights
        }
        known.withLock { $0[key] = Known(rights: rights, until: .now + Self.trust) }
        return rights
    }

    private func run<R: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> R
    ) async throws -> R {
        do { return try await database.run(body) } catch let error as DatabaseError {
            throw QueueError(error) ?? error as any Error
        }
    }
}

extension Viewer {
    /// Takes on the viewer's role until the transaction ends.
    fileprivate var taken: Statement {
        Statement(
            "select set_config('role', coalesce($1, 'none'), true)", .optional(role, Bind.text))
    }

    /// The same, and says who acts, and why.
    fileprivate func acting(why: String?) -> [Statement] {
        [
            taken,
            Statement(
                "select set_config('jobrunner.person', $1, true), set_config('jobrunner.why', $2, true)",
                .text(person ?? ""), .text(why ?? "")),
        ]
    }
}
