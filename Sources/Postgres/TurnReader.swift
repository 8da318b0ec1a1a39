import CLibPQ

/// Reads one turn's replies.
///
/// The first error wins; what follows it up to the sync is skipped.
struct TurnReader {
    let connection: Connection
    let cache: StatementCache
    let statements: [Statement]
    let isNumbered: Bool
    private var rows: [Rows] = []
    private var failure: DatabaseError?

    init(
        connection: Connection, cache: StatementCache, statements: [Statement], isNumbered: Bool
    ) {
        self.connection = connection
        self.cache = cache
        self.statements = statements
        self.isNumbered = isNumbered
        rows.reserveCapacity(statements.count)
    }

    mutating func read(_ replies: [Reply]) throws -> [Rows] {
        for reply in replies {
            switch reply {
            case .sync: try readSync()
            case .deallocated:
                // A name that is gone already is as good; only a lost connection throws here.
                let before = failure
                _ = try readResult(index: nil)
                failure = before
            case .prepared(let sql, let oids, let name, let index):
                if try readResult(index: index) != nil {
                    cache.insert(sql, oids, name: name)
                }
            case .rows(let index):
                if let result = try readResult(index: index) { rows.append(Rows(result)) }
            }
        }
        if let failure { throw failure }
        return rows
    }

    /// One statement's result and the nil after it; nil when it failed or was skipped.
    private mutating func readResult(index: Int?) throws -> ResultHandle? {
        guard let result = try next(index) else { throw located(connection.lost(), index) }
        try accept(result, index)
        var more = try next(index)
        while let extra = more {
            try accept(extra, index)
            more = try next(index)
        }
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return result
        default: return nil
        }
    }

    private mutating func readSync() throws {
        while true {
            guard let result = try next(nil) else {
                if connection.isBroken { throw located(connection.lost(), nil) }
                continue
            }
            if result.status == PGRES_PIPELINE_SYNC { return }
            try accept(result, nil)
        }
    }

    private func next(_ index: Int?) throws -> ResultHandle? {
        do { return try connection.nextResult() } catch let error as DatabaseError {
            throw located(error, index)
        }
    }

    /// Keeps the first error; throws when the connection is gone with it.
    private mutating func accept(_ result: ResultHandle, _ index: Int?) throws {
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_PIPELINE_ABORTED: return
        case PGRES_FATAL_ERROR:
            let error = located(result.error, index)
            connection.note(error)
            failure = failure ?? error
            guard error.code == .connectionLost || connection.isBroken else { return }
            connection.close()
            throw failure ?? error
        default:  // COPY: the protocol can't go on in a pipeline
            connection.close()
            throw located(DatabaseError(.misuse, "COPY needs Session.copyIn"), index)
        }
    }

    private func located(_ error: DatabaseError, _ index: Int?) -> DatabaseError {
        connection.explained(error).at(
            index.map { statements[$0].sql }, index: isNumbered ? index : nil)
    }
}
