import JobFile
import Postgres
import Queue

/// The statement that writes one page's records and moves the checkpoint over them.
///
/// Its text depends on the entity alone, so each session prepares it once. The counters come from
/// what the write itself returned: `commit_page` is called with them in the same statement, which
/// is how a page needs only one network turn (DESIGN, section 8).
struct UpsertStatement: Sendable {
    private let sql: String
    /// The same, and noting which keys the page showed, for the sweep at the end of a full pass.
    private let markingSQL: String
    /// The first, for rows that will hardly meet any: the conflict alone finds those that do.
    private let blindSQL: String
    /// Whether a page would change anything.
    private let lookSQL: String
    private let fields: [Field]
    private let hasFates: Bool

    init(_ entity: Entity) {
        fields = entity.records.fields
        hasFates = entity.hasFates
        sql = UpsertText(entity, marks: false).text
        blindSQL = UpsertText(entity, marks: false, looks: false).text
        lookSQL = UpsertText(entity, marks: false, firstArray: 2).look
        markingSQL = entity.sweeps ? UpsertText(entity, marks: true).text : sql
    }

    /// Columns whose values the server must parse, with their types: only these can be refused.
    var castColumns: [(index: Int, type: String)] {
        fields.enumerated().compactMap { $1.kind == .json ? ($0, "jsonb") : nil }
    }

    /// Binds a page's rows, its counters and its checkpoint.
    func statement(_ batch: RecordBatch, _ commit: PageCommit, for claim: Claim) -> Statement {
        var binds = commit.binds(for: claim)
        binds += [
            .int8(Int64(batch.counts.fetched)), .int8(Int64(batch.counts.skippedIncompatible)),
            .int8(Int64(batch.counts.filtered)), .int8(Int64(batch.counts.duplicate)),
            .int8(Int64(batch.sentCount + batch.sentBefore)), .int8(Int64(batch.olderBefore)),
        ]
        binds += arrays(batch)
        let marks = hasFates && commit.passKind == .full
        return Statement(
            marks ? markingSQL : batch.isProbablyNew ? blindSQL : sql, binds: binds)
    }

    /// Asks, and writes nothing, whether a page's rows would change anything (`changes`), and how many
    /// of them are older than what is stored (`older`).
    func look(_ batch: RecordBatch, for claim: Claim) -> Statement {
        Statement(lookSQL, binds: [.int8(claim.userID)] + arrays(batch))
    }

    private func arrays(_ batch: RecordBatch) -> [Bind] {
        (hasFates ? [.int4Array(batch.fates.map(\.rawValue))] : [])
            + batch.columns.map { .array($0) }
    }
}

extension Entity {
    /// A full pass notes what it shows and deletes the rest at its end.
    var sweeps: Bool { write.mode == .replaceAll || write.deletes?.sweeps == true }

    /// Pages hold more than rows to write.
    var hasFates: Bool { sweeps || write.deletes?.appliesTombstones == true }

    /// The columns by which a tombstone finds its row.
    var tombstoneKey: [String] {
        cloudkit == nil ? records.key : recordNameColumn.map { [$0] } ?? []
    }
}

extension Field {
    /// One column of several rows as an array bind.
    func bind(_ values: [FieldValue?]) -> Bind {
        switch kind {
        case .text, .url:
            .textArray(values.map { if case .text(let text) = $0 { text } else { nil } })
        case .timestamp:
            .timestamptzArray(
                values.map { if case .timestamp(let time) = $0 { time } else { nil } })
        case .int:
            .optionalInt8Array(
                values.map { if case .int(let number) = $0 { number } else { nil } })
        case .duration, .double:
            .doubleArray(values.map { if case .double(let number) = $0 { number } else { nil } })
        case .bool: .boolArray(values.map { if case .bool(let flag) = $0 { flag } else { nil } })
        case .json: .textArray(values.map { if case .json(let text) = $0 { text } else { nil } })
        }
    }

    /// The element type of such an array on the server; JSON travels as text and is cast last.
    var arrayType: String {
        switch kind {
        case .text, .url, .json: "text"
        case .timestamp: "timestamptz"
        case .int: "bigint"
        case .duration, .double: "double precision"
        case .bool: "boolean"
        }
    }
}

/// An identifier in double quotes; byte by byte, as the server reads it.
func quoted(_ identifier: String) -> String {
    let quote = UInt8(ascii: "\"")
    let bytes = identifier.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
    return "\"\(String(decoding: bytes, as: UTF8.self))\""
}

/// The hash by which a sweep knows a key again; two keys of one hash only keep a row that could go.
func keyHash(of keys: [String], in row: String) -> String {
    let texts = keys.map { "\(row).\($0)::text" }.joined(separator: ", ")
    return "hashtextextended(concat_ws(chr(31), \(texts)), 0)"
}
