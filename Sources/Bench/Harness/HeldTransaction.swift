import Glibc
import Postgres
import Synchronization

/// A transaction that is kept open until it is let go, as a report, a backup or an application's own keeps one.
final class HeldTransaction: Sendable {
    private let isReleased = Mutex(false)
    private let holder = Mutex<Task<Void, any Error>?>(nil)

    /// Begins a transaction, takes its snapshot and runs a statement.
    init(
        _ cluster: Cluster, running sql: String = "select count(*) from jobrunner.tenants"
    ) async throws {
        let (taken, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            defer { continuation.finish() }
            try await cluster.withDatabase { database in
                try await database.run { session in
                    try session.transaction { session in
                        _ = try session.query(
                            Statement("set transaction isolation level repeatable read"))
                        _ = try session.query(Statement(sql))
                        continuation.yield()
                        // The thread is the lane's own and may block.
                        while !self.isReleased.withLock({ $0 }) { usleep(5_000) }
                    }
                }
            }
        }
        holder.withLock { $0 = task }
        for await _ in taken { return }
        try await task.value
        throw BenchError("no transaction was begun")
    }

    /// Ends the transaction.
    func release() async throws {
        isReleased.withLock { $0 = true }
        try await holder.withLock { $0 }?.value
    }

    /// Ends it without waiting.
    func letGo() { isReleased.withLock { $0 = true } }
}
