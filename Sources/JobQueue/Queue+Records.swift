public import JSON
import Postgres

/// Rows of one user that ought to be one.
public struct Duplicates: Sendable, Equatable {
    /// Name of the tenant.
    public var tenant: String
    /// Number of the user.
    public var userID: Int64
    /// Key of the user.
    public var user: String
    /// The columns in which they agree: a JSON object.
    public var value: JSONValue
    /// How many they are.
    public var rows: Int
}

/// What the rows of a table that ought to be one are, all users together.
public struct DuplicateCount: Sendable, Equatable {
    /// Values that several rows of a user share.
    public var values: Int
    /// The rows that share one.
    public var rows: Int
    /// The first of the values.
    public var first: [Duplicates]
}

/// What an event did to one trigger of a job.
public struct TriggeredJob: Sendable, Equatable {
    /// Name of the job.
    public var job: String
    /// `due`, `follows_running`, `not_armed`, `armed`, `called_off`, `deferred`, `paused`,
    /// `quarantined` or `needs_reauth`.
    public var answer: String
    /// When the job is due now, microseconds since 1970.
    public var dueAt: Int64
}

extension Queue {
    /// Tells a user's jobs, or the tenant's own (user nil), of an event; empty: none waits for it.
    public func triggerEvent(
        _ event: String, tenant: String, user: String?
    ) async throws -> [TriggeredJob] {
        let statement = Statement(
            "select * from jobrunner.trigger_event($1, $2, $3)", .text(tenant),
            .optional(user, Bind.text), .text(event))
        return try await call(statement) { rows in
            try rows.map { row in
                TriggeredJob(
                    job: try row.text("job"), answer: try row.text("answer"),
                    dueAt: try row.timestamp("due_at"))
            }
        }
    }

    /// Asks for a full repair of jobs, due now; returns how many.
    public func repairJobs(_ scope: JobScope) async throws -> Int {
        try await call(
            Statement("select jobrunner.repair_jobs($1, $2, $3)", binds: scope.binds)
        ) { try $0.only().int(0) }
    }

    /// The rows of a synced table that ought to be one by these columns; changes nothing.
    public func duplicates(
        in table: String, by columns: [String], tenant: String? = nil
    ) async throws -> [Duplicates] {
        let statement = Statement(
            "select * from jobrunner.duplicates($1, $2, $3)", .text(table), .textArray(columns),
            .optional(tenant, Bind.text))
        return try await call(statement) { rows in try rows.map(Duplicates.init) }
    }

    /// How many such rows there are, and the first `limit` values they share.
    ///
    /// Reads the whole table, for no longer than the deadline.
    public func countDuplicates(
        in table: String, by columns: [String], first limit: Int,
        deadline: ContinuousClock.Instant? = nil
    ) async throws -> DuplicateCount {
        let statement = Statement(
            """
            select d.*, count(*) over () as value_count, (sum(d.row_count) over ())::bigint as all_rows
            from jobrunner.duplicates($1, $2) as d
            limit $3
            """, .text(table), .textArray(columns), .int(limit))
        return try await call(statement, deadline: deadline) { rows in
            DuplicateCount(
                values: try rows.first?.int("value_count") ?? 0,
                rows: try rows.first?.int("all_rows") ?? 0,
                first: try rows.map(Duplicates.init))
        }
    }

    /// Merges one user's duplicates in a table by its job file's rule, and has the losers' deletion
    /// sent; returns how many rows that wrote.
    ///
    /// The job's row is locked before theirs, as a page does.
    public func mergeDuplicates(in table: String, user: Int64) async throws -> Int {
        try await transaction { session in
            _ = try session.query(
                Statement("select jobrunner.hasten_push($1, $2)", .int8(user), .text(table)))
            return try session.query(
                Statement(
                    "select jobrunner.merge_duplicates($1, $2)", .int8(user), .text(table))
            ).only().int(0)
        }
    }

    /// The users with such rows, each once; in the order of their numbers.
    public func usersWithDuplicates(
        in table: String, by columns: [String]
    ) async throws -> [Int64] {
        let statement = Statement(
            "select distinct d.user_id from jobrunner.duplicates($1, $2) as d order by 1",
            .text(table), .textArray(columns))
        return try await call(statement) { try $0.map { Int64(try $0.int(0)) } }
    }
}

extension Duplicates {
    fileprivate init(_ row: Row) throws {
        tenant = try row.text("tenant")
        userID = Int64(try row.int("user_id"))
        user = try row.text("user_key")
        value = try parse(row.json("value")).value ?? .null
        rows = try row.int("row_count")
    }
}
