import CLibPQ

/// One network turn of a session: everything is sent, then everything is read, up to one sync.
struct Turn {
    let connection: Connection
    let cache: StatementCache
    let counters: Counters
    /// Statements that are sent often are prepared.
    let prepares: Bool

    /// Sends the statements and reads their answers.
    ///
    /// A plan that no longer fits its table (0A000) or was dropped behind our back (26000) is
    /// prepared anew; outside a transaction nothing of the turn has happened, so it is repeated.
    func run(
        _ statements: [Statement], isNumbered: Bool, isCleanUp: Bool
    ) throws -> [Rows] {
        let encoded = try statements.map { try EncodedBinds($0.binds) }
        let wasIdle = connection.transactionStatus == PQTRANS_IDLE
        do {
            return try exchange(statements, encoded, isNumbered, isCleanUp)
        } catch let error as DatabaseError where error.isStalePlan {
            if error.sqlstate == "26000" {
                cache.forgetAll()
            } else {
                for statement in statements { cache.forget(statement.sql) }
            }
            guard wasIdle, connection.isOpen else { throw error }
            return try exchange(statements, encoded, isNumbered, isCleanUp)
        }
    }

    private func exchange(
        _ statements: [Statement], _ encoded: [EncodedBinds], _ isNumbered: Bool, _ isCleanUp: Bool
    ) throws -> [Rows] {
        let handle = try connection.opened()
        try connection.beginTurn(isCleanUp: isCleanUp)
        try enterPipeline(handle)
        var sender = TurnSender(handle: handle, cache: cache, prepares: prepares)
        do {
            try sender.send(statements, encoded)
        } catch {
            throw connection.lost()
        }
        counters.sent(statements.count)
        try connection.flush()
        var reader = TurnReader(
            connection: connection, cache: cache, statements: statements, isNumbered: isNumbered)
        return try reader.read(sender.replies)
    }

    private func enterPipeline(_ handle: OpaquePointer) throws {
        guard PQpipelineStatus(handle) == PQ_PIPELINE_OFF else { return }
        guard PQenterPipelineMode(handle) == 1 else { throw connection.lost() }
    }
}

extension DatabaseError {
    fileprivate var isStalePlan: Bool {
        code == .server("26000")
            || (code == .server("0A000") && message == "cached plan must not change result type")
    }
}
