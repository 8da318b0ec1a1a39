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
        connection = Connection(
            wake: wake, turnLimit: configuration.turnLimit, cancels: !configuration.isPooled,
            timelines: configuration.timelines)
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
        try turns([statement], isNumbered: false)[0]
    }

    /// Runs the statements in one network turn as one implicit transaction: all or none happen.
    ///
    /// Throws the first error, a `DatabaseError` with `statementIndex`.
    public func pipeline(_ statements: [Statement]) throws -> [Rows] {
        guard !statements.isEmpty else { return [] }
        return try turns(statements, isNumbered: true)
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
        return try transactionTurn(statements) { $0.asOfCommit }
    }

    /// `ofLostReply`: what an error without a verdict of the server means.
    private func transactionTurn(
        _ statements: [Statement], ofLostReply: (DatabaseError) -> DatabaseError
    ) throws -> [Rows] {
        let frame = configuration.isPooled ? SessionFrame(configuration) : nil
        let opening = frame?.opening ?? [Statement("begin")]
        do {
            let all = opening + statements + [Statement("commit")]
            let rows = try turn(all, isNumbered: true)
            try requireCommitted(rows[rows.count - 1].commandTag)
            return Array(rows[opening.count..<rows.count - 1])
        } catch let error as DatabaseError {
            if frame?.isReplaced(error) == true { throw leaveReplaced() }
            try? rollBack()
            let located = error.located(in: statements.count, after: opening.count)
            throw error.isVerdict(before: opening.count + statements.count)
                ? located : ofLostReply(located)
        }
    }

    /// The pooler may lead to another server when it is asked anew.
    private func leaveReplaced() -> DatabaseError {
        connection.close()
        return DatabaseError(
            .notConnected, "the pooler leads to a server that was replaced by a newer one")
    }

    /// Runs the body between `begin` and `commit`; throws `TransactionError`.
    public func transaction<R>(_ body: (Session) throws -> R) throws -> R {
        guard connection.transactionStatus == PQTRANS_IDLE || !connection.isOpen else {
            throw TransactionError(
                begin: DatabaseError(.misuse, "transaction inside a transaction"))
        }
        do { try begin() } catch let error as DatabaseError {
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
            throw TransactionError(commit: error.asOfCommit)
        }
        return value
    }

    private func begin() throws {
        guard configuration.isPooled else {
            _ = try query(Statement("begin"))
            return
        }
        let frame = SessionFrame(configuration)
        do { _ = try turn(frame.opening, isNumbered: true) } catch let error as DatabaseError {
            if frame.isReplaced(error) { throw leaveReplaced() }
            try? rollBack()
            throw error
        }
    }

    /// Statements that are a transaction by themselves, unless one is open.
    private func turns(_ statements: [Statement], isNumbered: Bool) throws -> [Rows] {
        guard configuration.isPooled, connection.transactionStatus == PQTRANS_IDLE else {
            return try turn(statements, isNumbered: isNumbered)
        }
        do { return try transactionTurn(statements) { $0 } } catch let error as DatabaseError {
            throw isNumbered ? error : error.at(error.statement)
        }
    }

    private func turn(
        _ statements: [Statement], isNumbered: Bool, isCleanUp: Bool = false
    ) throws -> [Rows] {
        try Turn(
            connection: connection, cache: cache, counters: counters,
            prepares: !configuration.isPooled
        )
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
    /// Seen from a transaction turn: what it begins with is not one of the caller's statements.
    fileprivate func located(in count: Int, after opening: Int) -> DatabaseError {
        let index = statementIndex.map { $0 - opening }
        return at(statement, index: index.flatMap { (0..<count).contains($0) ? $0 : nil })
    }

    /// Whether the server itself says that a statement before the commit, which has this number, failed.
    ///
    /// Class 08 is the word of a pooler whose server has gone, that knows no more of the commit than we do.
    fileprivate func isVerdict(before commit: Int) -> Bool {
        guard let sqlstate else { return code != .connectionLost }
        guard !sqlstate.hasPrefix("08") else { return false }
        return code != .connectionLost || (statementIndex ?? commit) < commit
    }

    /// Seen from `commit`: a connection that broke leaves it open.
    fileprivate var asOfCommit: DatabaseError {
        isConnectionFailure && code != .notConnected ? recoded(.commitUnknown) : self
    }
}
