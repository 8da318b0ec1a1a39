import JSON
import Postgres

/// The statements of a claim: those that claim, and those that look.
let claiming = "jobrunner\\.(claim|look)_"

/// What the server says of the statements of a time, from pg_stat_statements.
struct StatementUse: Sendable {
    var calls = 0.0
    var rows = 0.0
    var milliseconds = 0.0
    /// Found or read.
    var buffers = 0.0

    static func - (now: StatementUse, before: StatementUse) -> StatementUse {
        StatementUse(
            calls: now.calls - before.calls, rows: now.rows - before.rows,
            milliseconds: now.milliseconds - before.milliseconds,
            buffers: now.buffers - before.buffers)
    }
}

extension Cluster {
    /// Begins the server's counting anew.
    func forgetStatements() async throws {
        try await administer("select pg_stat_statements_reset()")
    }

    /// Keeps the ten statements that took the longest in the raw numbers.
    func keepStatements(as name: String, in measurements: Measurements) async throws {
        let rows = try await inspect(
            """
            select left(regexp_replace(query, '\\s+', ' ', 'g'), 120) as query, calls, rows,
              total_exec_time as ms, shared_blks_hit + shared_blks_read as buffers, wal_bytes::float8
            from pg_stat_statements
            order by total_exec_time desc
            limit 10
            """)
        let found = try rows.map { row in
            JSONValue.object([
                JSONMember("query", .string(try row.text("query"))),
                JSONMember("calls", .integer(try row.int("calls"))),
                JSONMember("rows", .integer(try row.int("rows"))),
                JSONMember("total_ms", .double(try row.double("ms"))),
                JSONMember("buffers", .integer(try row.int("buffers"))),
                JSONMember("wal_bytes", .double(try row.double("wal_bytes"))),
            ])
        }
        measurements.keep(name, .array(found))
    }

    /// What the statements whose text matches a regular expression took since the counting began.
    func use(of pattern: String) async throws -> StatementUse {
        let row = try await inspect(
            """
            select coalesce(sum(calls), 0)::float8 as calls, coalesce(sum(rows), 0)::float8 as rows,
              coalesce(sum(total_exec_time), 0)::float8 as ms,
              coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as buffers
            from pg_stat_statements
            where query ~ $1 and position('pg_stat_statements' in query) = 0
            """, .text(pattern)
        ).only()
        return StatementUse(
            calls: try row.double("calls"), rows: try row.double("rows"),
            milliseconds: try row.double("ms"), buffers: try row.double("buffers"))
    }
}
