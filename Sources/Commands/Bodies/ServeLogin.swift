import JobQueue
import Postgres
import Synchronization

/// The role by which `serve` is logged in: one that can look and no more, for it answers whoever reaches it.
final class ServeLogin: Sendable {
    private let queue: Queue
    private let isNarrow = Mutex(false)

    init(_ queue: Queue) { self.queue = queue }

    /// Throws a `Failure` when the role may read secrets, or what the database threw; asks until it knows.
    func check() async throws {
        guard !isNarrow.withLock({ $0 }) else { return }
        let statement = Statement(
            """
            select current_user, exists (
              select from pg_class as c
              join pg_namespace as n on n.oid = c.relnamespace
              where n.nspname = 'jobrunner' and c.relname = 'secrets' and has_any_column_privilege(c.oid, 'select')
            )
            """)
        let wide = try await queue.call(statement) { rows -> String? in
            let row = try rows.only()
            return try row.bool(1) ? row.text(0) : nil
        }
        if let wide {
            throw Failure(
                .configuration,
                "DATABASE_URL logs in as \(wide), which may read secrets: serve needs a login of its own,"
                    + " create role jobrunner_serve login password '…' in role jobrunner_reader")
        }
        isNarrow.withLock { $0 = true }
    }
}
