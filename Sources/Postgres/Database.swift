import CLibPQ
import Synchronization

/// A bounded pool: `lanes` sessions, each on a thread of its own that may block.
///
/// Swift's own threads never wait for the database. Work is served first come, first served, so no
/// caller starves as long as bodies end; give each body a deadline. What must not wait for other
/// work, such as a heartbeat, gets a `Database` of its own with one lane.
public final class Database: Sendable {
    private let pool: Pool

    /// Starts the threads; each connects at its first work and again whenever it must.
    public init(_ configuration: DatabaseConfiguration) {
        pool = Pool(configuration)
        pool.start()
    }

    deinit { pool.close() }

    /// Runs the body on a free lane's thread, with its session connected.
    ///
    /// The deadline counts from now and covers waiting for a lane, connecting and the body's
    /// statements. When it passes, or the task is cancelled, the running statement is cancelled on
    /// the server and throws `.timedOut` or `.cancelled`, as does every later one of the body.
    /// A server that doesn't answer the cancel within 2 s loses its connection: `.connectionLost`.
    /// A lost connection is made anew at the next run, with jittered backoff up to the deadline
    /// or for `reconnectTimeout`; then `.notConnected` is thrown. So is that of a server which turned
    /// out to be read-only, or was replaced, and one that was idle for half a minute. Without a
    /// deadline the server's `statement_timeout` bounds a statement, and a turn that is not answered a
    /// little later loses its connection: `.connectionLost`. A transaction that the body leaves open
    /// is rolled back, and `.misuse` thrown if the body returned as if all were well.
    /// Otherwise throws what the body throws.
    public func run<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        _ body: @escaping @Sendable (Session) throws -> R
    ) async throws -> R {
        let interruption = Interruption(deadline: deadline)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                pool.enqueue(
                    Work(
                        interruption: interruption,
                        perform: { session in
                            let result = session.serve(interruption, body)
                            return { continuation.resume(with: result) }
                        },
                        refuse: { continuation.resume(throwing: $0) }))
            }
        } onCancel: {
            pool.cancel(interruption)
        }
    }

    /// Whether a body runs for longer than this already, perhaps because its server does not answer.
    public func isHeldUp(for span: Duration) -> Bool { pool.isHeldUp(for: span) }

    /// Has the sessions that wait for an answer look whether their server was replaced.
    public func lookAgain() { pool.lookAgain() }

    /// What was asked of the network so far.
    public var counts: Counts { pool.counters.counts }

    /// Refuses new and waiting work with `.cancelled`, lets the running end and disconnects.
    public func close() async {
        pool.close()
        await pool.ended()
    }
}

extension Session {
    /// Connects if needed, runs the body and leaves the session as clean as it was.
    ///
    /// `connects`: false where somebody else makes the connection, and has to see that it is another.
    func serve<R>(
        _ interruption: Interruption, connects: Bool = true, _ body: (Session) throws -> R
    ) -> Result<R, any Error> {
        connection.interruption = interruption
        let outcome = Result {
            if connects { try connectIfNeeded() }
            return try body(self)
        }
        let wasOpen = connection.isOpen && connection.transactionStatus != PQTRANS_IDLE
        // A failed roll-back closes the connection, which is as clean.
        try? rollBack()
        connection.interruption = Interruption(deadline: nil)
        // A standby that such a session stays with would refuse all that follows.
        if connection.isReadOnly { connection.close() }
        guard wasOpen, case .success = outcome else { return outcome }
        return .failure(
            DatabaseError(.misuse, "the body left a transaction open; it was rolled back"))
    }

    func connectIfNeeded() throws {
        connection.discardIfDead()
        guard !connection.isOpen else { return }
        if let reason = connection.interruption.reason { throw DatabaseError.interrupted(reason) }
        try connection.open(configuration)
        cache = StatementCache(capacity: configuration.statementCacheSize)
        counters.connects.add(1, ordering: .relaxed)
    }
}
