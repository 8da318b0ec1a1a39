import CLibPQ

/// A connected session, for the time and on the thread of one `Database.run` body.
///
/// Everything here blocks that thread. After `.connectionLost` every further call throws
/// `.notConnected`; the next body gets a new connection.
public final class Session {
    let connection: Connection
    let counters: Counters
    let configuration: DatabaseConfiguration
    var cache: StatementCache

    init(_ configuration: DatabaseConfiguration, wake: EventFD, counters: Counters) {
        self.configuration = configuration
        self.counters = counters
        connection = Connection(wake: wake, turnLimit: configuration.turnLimit)
        cache = StatementCache(capacity: configuration.statementCacheSize)
    }

    /// Lets the body's turns take as long as they like, for a body that lifts `statement_timeout` as well.
    public func withoutTurnLimit<R>(_ body: (Session) throws -> R) rethrows -> R {
        let limit = connection.turnLimit
        connection.turnLimit = nil
        defer { connection.turnLimit = limit }
        return try body(self)
    }

    /// Runs one statement in one network turn, outside a transaction as its own.
    ///
    /// Throws `DatabaseError`.
    public func query(_ statement: Statement) throws -> Rows {
        try turn([statement], isNumbered: false)[0]
    }

    /// Runs the statements in one network turn as one implicit transaction: all or none happen.
    ///
    /// Throws the first error, a `DatabaseError` with `statementIndex`.
    public func pipeline(_ statements: [Statement]) throws -> [Rows] {
        guard !statements.isEmpty else { return [] }
        return try turn(statements, isNumbered: true)
    }

    /// Runs `begin`, the statements and `commit` in one network turn.
    ///
    /// Throws `.rolledBackAtCommit` when the commit's tag is ROLLBACK, `.commitUnknown` when the
    /// connection broke before its reply, otherwise the first error with `statementIndex`. After
    /// an error that is not `.commitUnknown` nothing of it was kept.
    public func transactionTurn(_ statements: [Statement]) throws -> [Rows] {
        guard connection.transactionStatus == PQTRANS_IDLE else {
            _ = try connection.opened()
            throw DatabaseError(.misuse, "transactionTurn inside a transaction")
        }
        let all = [Statement("begin")] + statements + [Statement("commit")]
        do {
            let rows = try turn(all, isNumbered: true)
            try requireCommitted(rows[rows.count - 1].commandTag)
            return Array(rows[1..<rows.count - 1])
        } catch let error as DatabaseError {
            try? rollBack()
            throw error.fromTransaction(of: statements.count)
        }
    }

    /// Runs the body between `begin` and `commit`; throws `TransactionError`.
    public func transaction<R>(_ body: (Session) throws -> R) throws -> R {
        guard connection.transactionStatus == PQTRANS_IDLE || !connection.isOpen else {
            throw TransactionError(
                begin: DatabaseError(.misuse, "transaction inside a transaction"))
        }
        do { _ = try query(Statement("begin")) } catch let error as DatabaseError {
            throw TransactionError(begin: error)
        }
        let value: R
        do { value = try body(self) } catch {
            throw TransactionError(body: error, rollback: rollbackError())
        }
        do {
            try requireCommitted(try query(Statement("commit")).commandTag)
        } catch let error as DatabaseError {
            try? rollBack()
            throw TransactionError(commit: error.atCommit())
        }
        return value
    }

    private func turn(
        _ statements: [Statement], isNumbered: Bool, isCleanUp: Bool = false
    ) throws -> [Rows] {
        try Turn(connection: connection, cache: cache, counters: counters)
            .run(statements, isNumbered: isNumbered, isCleanUp: isCleanUp)
    }

    /// Ends an open transaction; on failure closes the connection, which ends it too.
    func rollBack() throws {
        guard connection.isOpen, connection.transactionStatus != PQTRANS_IDLE else { return }
        do {
            _ = try turn([Statement("rollback")], isNumbered: false, isCleanUp: true)
        } catch {
            connection.close()
            throw error
        }
    }

    private func rollbackError() -> DatabaseError? {
        do {
            try rollBack()
            return nil
        } catch {
            return error as? DatabaseError
        }
    }

    private func requireCommitted(_ tag: String) throws {
        guard tag != "COMMIT" else { return }
        throw DatabaseError(
            .rolledBackAtCommit, "commit was answered with \(tag): the transaction had failed")
    }
}

extension DatabaseConfiguration {
    /// How long a turn may take, counted here: a little over what the server gives a statement.
    ///
    /// Nil when the server gives it any time.
    var turnLimit: Duration? {
        let timeout = statementTimeoutGiven(givenOptions) ?? statementTimeout
        return timeout > .zero ? timeout + Connection.answerTimeout : nil
    }
}

extension DatabaseError {
    /// Seen from a transaction turn: `begin` is not one of the caller's statements, and a
    /// connection that broke before any verdict leaves the commit open.
    fileprivate func fromTransaction(of count: Int) -> DatabaseError {
        let index = statementIndex.map { $0 - 1 }
        let isVerdict = sqlstate != nil && (index ?? count) < count
        let error = code == .connectionLost && !isVerdict ? recoded(.commitUnknown) : self
        return error.at(statement, index: index.flatMap { (0..<count).contains($0) ? $0 : nil })
    }

    /// Seen from `commit`: a connection that broke leaves it open.
    fileprivate func atCommit() -> DatabaseError {
        code == .connectionLost ? recoded(.commitUnknown) : self
    }
}
