import CLibPQ

extension Session {
    /// Runs many statements separated by semicolons, as migrations are; their rows are dropped.
    ///
    /// Without `begin` of its own the text is one implicit transaction. Throws `DatabaseError`.
    public func script(_ sql: String) throws {
        _ = try simpleTurn(sql)
        try drainSimple(sql)
    }

    /// Sends rows to `copy … from stdin`; each chunk is bytes of the copy's own format.
    ///
    /// Returns the rows the server counted. Throws `DatabaseError`; then no row was kept.
    public func copyIn(_ sql: String, rows: some Sequence<[UInt8]>) throws -> Int {
        let handle = try simpleTurn(sql)
        try expectCopy(sql)
        var unflushed = 0
        for chunk in rows {
            guard connection.interruption.reason == nil, connection.cancelReason == nil else {
                break
            }
            guard put(handle, chunk) else { break }
            unflushed += chunk.count
            if unflushed >= Self.copyBuffer {
                try connection.flush()
                unflushed = 0
            }
        }
        let reason = connection.cancelReason ?? connection.interruption.reason
        PQputCopyEnd(handle, reason == nil ? nil : "interrupted")
        do {
            try connection.flush()
            return try drainSimple(sql)
        } catch let error as DatabaseError {
            guard let reason, error.code == .server("57014") else { throw error }
            throw DatabaseError.interrupted(reason).at(sql)
        }
    }

    /// Sends rows of values to `copy … from stdin (format binary)`; a value's type must be the
    /// column's.
    ///
    /// Returns the rows the server counted. Throws `DatabaseError`.
    public func copyIn(_ sql: String, values: some Sequence<[Bind]>) throws -> Int {
        let encoded = try values.map { try binaryCopyRow($0) }
        return try copyIn(sql, rows: [binaryCopyHeader] + encoded + [[0xFF, 0xFF]])
    }

    /// How much is queued before the socket must take it.
    private static var copyBuffer: Int { 1 << 16 }

    private func simpleTurn(_ sql: String) throws -> OpaquePointer {
        let handle = try connection.opened()
        guard !sql.utf8.contains(0) else {
            throw DatabaseError(.misuse, "the SQL text holds a NUL byte")
        }
        try connection.beginTurn()
        guard PQexitPipelineMode(handle) == 1, PQsendQuery(handle, sql) == 1 else {
            throw connection.lost()
        }
        counters.sent(1)
        try connection.flush()
        return handle
    }

    private func put(_ handle: OpaquePointer, _ chunk: [UInt8]) -> Bool {
        chunk.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            return start == nil || PQputCopyData(handle, start, Int32(bytes.count)) == 1
        }
    }

    private func expectCopy(_ sql: String) throws {
        guard let result = try connection.nextResult() else { throw connection.lost().at(sql) }
        guard result.status != PGRES_COPY_IN else { return }
        try drainSimple(sql, first: result)
        throw DatabaseError(.misuse, "not a copy from stdin").at(sql)
    }

    /// Reads to the end of a simple query; returns the rows counted last.
    ///
    /// The first error wins.
    @discardableResult
    private func drainSimple(_ sql: String, first: ResultHandle? = nil) throws -> Int {
        var failure: DatabaseError?
        var affected = 0
        var result = try first ?? connection.nextResult()
        while let current = result {
            switch current.status {
            case PGRES_FATAL_ERROR:
                let error = connection.explained(current.error).at(sql)
                connection.note(error)
                failure = failure ?? error
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                connection.close()
                throw DatabaseError(.misuse, "copy needs Session.copyIn").at(sql)
            default: affected = Rows(current).affected
            }
            result = try connection.nextResult()
        }
        if connection.isBroken || failure?.code == .connectionLost {
            let lost = connection.lost().at(sql)
            throw failure ?? lost
        }
        if let failure { throw failure }
        return affected
    }
}

/// Signature, flags and no extension.
private let binaryCopyHeader: [UInt8] =
    Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)

private func binaryCopyRow(_ values: [Bind]) throws -> [UInt8] {
    let encoded = try EncodedBinds(values)
    var row: [UInt8] = []
    row.reserveCapacity(encoded.bytes.count + 4 * values.count + 2)
    row.appendBigEndian(Int16(clamping: values.count))
    for span in encoded.spans {
        row.appendBigEndian(Int32(clamping: span?.count ?? -1))
        if let span { row.append(contentsOf: encoded.bytes[span]) }
    }
    return row
}
