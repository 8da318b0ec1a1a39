/// Why `Session.transaction` failed, each step's error kept apart.
///
/// Exactly one of `begin`, `body` and `commit` is set; `rollback` only beside `body`.
public struct TransactionError: Error, Sendable, CustomStringConvertible {
    /// `begin` failed; the body never ran.
    public let begin: DatabaseError?
    /// The body threw; the transaction was rolled back, or its session closed.
    public let body: (any Error)?
    /// `rollback` failed too; the session was closed, which rolls back as well.
    public let rollback: DatabaseError?
    /// `commit` failed; with `.commitUnknown` it may have happened.
    public let commit: DatabaseError?

    init(
        begin: DatabaseError? = nil, body: (any Error)? = nil, rollback: DatabaseError? = nil,
        commit: DatabaseError? = nil
    ) {
        self.begin = begin
        self.body = body
        self.rollback = rollback
        self.commit = commit
    }

    /// The database error that decided the outcome, when it was one.
    public var databaseError: DatabaseError? {
        begin ?? commit ?? (body as? DatabaseError)
    }

    /// One line naming the step and its error.
    public var description: String {
        if let begin { return "begin: \(begin)" }
        if let commit { return "commit: \(commit)" }
        let cause = body.map { "\($0)" } ?? "unknown"
        return rollback.map { "body: \(cause); rollback: \($0)" } ?? "body: \(cause)"
    }
}
