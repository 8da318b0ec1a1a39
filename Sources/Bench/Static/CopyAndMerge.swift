import Postgres

/// The yardstick of writing: COPY of a page's rows into a temporary table, a merge from there into a
/// table made like the product's own, and a commit for each page, as the product commits.
///
/// The rows are those that the product has stored of one user, in binary and ready to be sent, so
/// that all there is to do is PostgreSQL's own work.
struct CopyAndMerge: Sendable {
    private let cluster: Cluster
    private let users: Int
    /// What COPY is sent for each page of a user.
    private let pages: [[UInt8]]
    private let rows: Int

    private static let columns = [
        ("id", "textsend"), ("seq", "int8send"), ("updated_at", "timestamptz_send"),
        ("channel", "textsend"), ("title", "textsend"), ("score", "float8send"),
        ("active", "boolsend"), ("text", "textsend"),
    ]

    /// Takes the rows of the first user of `synced.static_record`.
    static func prepare(_ cluster: Cluster, users: Int, pageSize: Int) async throws -> CopyAndMerge
    {
        let fields = columns.map { "int4send(length(\($0.1)(\($0.0)))) || \($0.1)(\($0.0))" }
        let rows = try await cluster.query(
            """
            select '\\x5047434f50590aff0d0a00'::bytea || int4send(0) || int4send(0)
              || string_agg(bytes, ''::bytea order by place) || int2send(-1::int2) as page
            from (
              select row_number() over (order by id) - 1 as place,
                int2send(\(columns.count)::int2) || \(fields.joined(separator: " || ")) as bytes
              from synced.static_record
              where user_id = (select min(user_id) from synced.static_record)
            ) as s
            group by place / \(pageSize)
            order by place / \(pageSize)
            """)
        try await cluster.script(
            """
            create schema if not exists yardstick;
            drop table if exists yardstick.static_record;
            create table yardstick.static_record (like synced.static_record including all);
            """)
        let count = try await cluster.number(
            "select count(*)::float8 from synced.static_record")
        return CopyAndMerge(
            cluster: cluster, users: users, pages: try rows.map { try $0.bytes(0) },
            rows: Int(count))
    }

    struct Rate {
        let recordsPerSecond: Double
        /// PostgreSQL's processor time.
        let microsecondsPerRecord: Double
    }

    /// Writes all users' rows over so many connections.
    func rate(connections: Int) async throws -> Rate {
        try await cluster.script("truncate yardstick.static_record")
        try await cluster.administer("checkpoint")
        let server = cluster.cpuSeconds
        let times = try await withThrowingTaskGroup(of: Times.self) { group in
            for first in 1...connections {
                group.addTask {
                    try await cluster.withDatabase { database in
                        try await database.run {
                            try write(
                                Array(stride(from: first, through: users, by: connections)), $0)
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let used = cluster.cpuSeconds - server
        let written = try await cluster.number(
            "select count(*)::float8 from yardstick.static_record")
        guard Int(written) == rows, let began = times.map(\.began).min(),
            let ended = times.map(\.ended).max()
        else { throw BenchError("the yardstick wrote \(Int(written)) records, not \(rows)") }
        return Rate(
            recordsPerSecond: Double(rows) / (ended - began).seconds,
            microsecondsPerRecord: used / Double(rows) * 1e6)
    }

    private struct Times {
        let began: ContinuousClock.Instant
        let ended: ContinuousClock.Instant
    }

    private func write(_ users: [Int], _ session: Session) throws -> Times {
        let names = CopyAndMerge.columns.map(\.0)
        let list = names.joined(separator: ", ")
        try session.script(
            """
            create temp table staging on commit delete rows
            as select \(list) from yardstick.static_record with no data
            """)
        let others = names.filter { $0 != "id" }
        let merge = """
            insert into yardstick.static_record as t (user_id, \(list))
            select $1, \(list) from staging
            on conflict (user_id, id) do update
            set \(others.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            where (\(others.map { "t.\($0)" }.joined(separator: ", ")))
              is distinct from (\(others.map { "excluded.\($0)" }.joined(separator: ", ")))
            """
        let began = ContinuousClock.now
        for user in users {
            for page in pages {
                try session.script("begin")
                _ = try session.copyIn(
                    "copy staging (\(list)) from stdin (format binary)", rows: [page])
                // One network turn, as the merge's plan is made once.
                _ = try session.pipeline([
                    Statement(merge, .int8(Int64(user))), Statement("commit"),
                ])
            }
        }
        return Times(began: began, ended: .now)
    }
}
