public import JSON
import Postgres

/// Rows of one user that ought to be one (LU12).
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

    /// Asks for a full repair of jobs, due now (LU21); returns how many.
    public func repairJobs(_ scope: JobScope) async throws -> Int {
        try await call(
            Statement("select jobrunner.repair_jobs($1, $2, $3)", binds: scope.binds)
        ) { try $0.only().int(0) }
    }

    /// The rows of a synced table that ought to be one by these columns; changes nothing (LU13).
    public func duplicates(
        in table: String, by columns: [String], tenant: String? = nil
    ) async throws -> [Duplicates] {
        let statement = Statement(
            "select * from jobrunner.duplicates($1, $2, $3)", .text(table), .textArray(columns),
            .optional(tenant, Bind.text))
        return try await call(statement) { rows in
            try rows.map { row in
                Duplicates(
                    tenant: try row.text("tenant"), userID: Int64(try row.int("user_id")),
                    user: try row.text("user_key"),
                    value: try parse(row.json("value")).value ?? .null,
                    rows: try row.int("row_count"))
            }
        }
    }

    /// Merges one user's duplicates in a table by its job file's rule, and has the losers' deletion
    /// sent; returns how many rows that wrote.
    public func mergeDuplicates(in table: String, user: Int64) async throws -> Int {
        try await transaction { session in
            let written = try session.query(
                Statement(
                    "select jobrunner.merge_duplicates($1, $2)", .int8(user), .text(table))
            ).only().int(0)
            if written > 0 {
                _ = try session.query(
                    Statement("select jobrunner.push_soon($1, $2)", .int8(user), .text(table)))
            }
            return written
        }
    }

    /// The user under which a tenant's own jobs and rows stand; nil: it has none.
    public func tenantUser(of tenant: String) async throws -> Int64? {
        try await call(Statement("select jobrunner.tenant_user($1)", .text(tenant))) {
            try $0.only().optionalInt(0).map(Int64.init)
        }
    }
}
