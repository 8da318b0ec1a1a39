import CLibPQ

/// What the server will answer, in order.
enum Reply {
    /// To a deallocation, which has a sync of its own.
    case deallocated
    case prepared(sql: String, oids: [UInt32], name: String, index: Int)
    case rows(index: Int)
    case sync
}

/// Queues the messages of one turn in libpq's buffer.
struct TurnSender {
    let handle: OpaquePointer
    let cache: StatementCache
    let prepares: Bool
    private(set) var replies: [Reply] = []
    /// Prepared earlier in this turn, not known to have succeeded.
    private var pending: [(sql: String, oids: [UInt32], name: String)] = []

    init(handle: OpaquePointer, cache: StatementCache, prepares: Bool) {
        self.handle = handle
        self.cache = cache
        self.prepares = prepares
    }

    private struct NotSent: Error {}

    mutating func send(_ statements: [Statement], _ encoded: [EncodedBinds]) throws {
        try deallocateRetired()
        for (index, statement) in statements.enumerated() {
            if statement.isCached, prepares {
                let name = try prepare(statement.sql, encoded[index].oids, index)
                try encoded[index].withPointers { values, lengths, formats in
                    try check(
                        PQsendQueryPrepared(
                            handle, name, Int32(encoded[index].spans.count), values, lengths,
                            formats, 1))
                }
            } else {
                try encoded[index].withPointers { values, lengths, formats in
                    try check(
                        PQsendQueryParams(
                            handle, statement.sql, Int32(encoded[index].spans.count),
                            encoded[index].oids, values, lengths, formats, 1))
                }
            }
            replies.append(.rows(index: index))
        }
        try check(PQpipelineSync(handle))
        replies.append(.sync)
    }

    /// Only outside a transaction: inside a failed one it would be refused.
    private mutating func deallocateRetired() throws {
        guard !cache.retired.isEmpty, PQtransactionStatus(handle) == PQTRANS_IDLE else { return }
        for name in cache.retired {
            try check(PQsendQueryParams(handle, "deallocate \(name)", 0, nil, nil, nil, nil, 1))
            replies.append(.deallocated)
        }
        try check(PQpipelineSync(handle))
        replies.append(.sync)
        cache.clearRetired()
    }

    private mutating func prepare(_ sql: String, _ oids: [UInt32], _ index: Int) throws -> String {
        if let name = cache.find(sql, oids) { return name }
        if let known = pending.first(where: { $0.sql == sql && $0.oids == oids }) {
            return known.name
        }
        let name = cache.newName()
        try check(PQsendPrepare(handle, name, sql, Int32(oids.count), oids))
        replies.append(.prepared(sql: sql, oids: oids, name: name, index: index))
        pending.append((sql, oids, name))
        return name
    }

    private func check(_ sent: Int32) throws {
        guard sent == 1 else { throw NotSent() }
    }
}

extension EncodedBinds {
    /// Lends the arrays that libpq wants: values, lengths, formats (all binary).
    func withPointers<R>(
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) throws -> R
    ) throws -> R {
        try bytes.withUnsafeBytes { arena in
            let base = arena.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = spans.map { span in
                span.flatMap { range in base.map { $0 + range.lowerBound } }
            }
            return try body(
                values, spans.map { Int32(clamping: $0?.count ?? 0) },
                [Int32](repeating: 1, count: spans.count))
        }
    }
}
