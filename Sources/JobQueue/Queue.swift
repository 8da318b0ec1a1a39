public import Postgres

/// The verbs of `sql/functions` as Swift calls: what happened goes in, what state follows is SQL's.
///
/// Every call is one statement unless its comment says otherwise. All throw `DatabaseError`, or
/// `QueueError` for what the verbs themselves refuse.
public struct Queue: Sendable {
    /// The pool the verbs run on.
    public let database: Database

    /// Speaks the verbs over a pool.
    public init(_ database: Database) {
        self.database = database
    }

    /// Runs one statement and reads its rows.
    public func call<R: Sendable>(
        _ statement: Statement, deadline: ContinuousClock.Instant? = nil,
        _ read: @escaping @Sendable (Rows) throws -> R
    ) async throws -> R {
        do {
            return try await database.run(deadline: deadline) { session in
                try read(session.query(statement))
            }
        } catch let error as DatabaseError {
            throw QueueError(error) ?? error as any Error
        }
    }
}
