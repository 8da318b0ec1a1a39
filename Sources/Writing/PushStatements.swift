import Basics
public import JobFiles
public import Postgres
import Reading

/// Reads unsent rows in key order and writes what became of them.
public struct PushStatements: Sendable {
    let entity: Entity
    private let push: Push
    let table: String
    let keyIndexes: [Int]
    private let changeTagIndex: Int?

    /// Makes the texts for an entity's push.
    public init(_ entity: Entity, _ push: Push) {
        self.entity = entity
        self.push = push
        table = "synced.\(quoted(entity.write.table))"
        let names = entity.records.fields.map(\.name)
        keyIndexes = entity.records.key.compactMap { names.firstIndex(of: $0) }
        changeTagIndex = entity.changeTagColumn.flatMap { names.firstIndex(of: $0) }
    }

    var fields: [Field] { entity.records.fields }

    // MARK: Reading

    /// Takes the next rows after `last` in key order, each with what is sent of it noted, before it is
    /// sent: whatever becomes of the answer, what comes back is known for our own
    /// (docs/decisions/0022).
    ///
    /// A row that another transaction is editing is passed over: that edit is sent later. So is one that
    /// waits after a refusal and was not edited since, unless `takesPaused`. Every column comes as a text,
    /// so that one reader does.
    public func take(
        after last: UnsentRow?, limit: Int, takesPaused: Bool = false, userID: Int64
    ) -> Statement {
        let keys = keyIndexes.map { "t.\(quoted(fields[$0].name))" }
        let names = keyIndexes.indices.map { "key_\($0)" }
        let texts = fields.enumerated().map { "\($1.textExpression) as field_\($0)" }
        var binds: [Bind] = [.int8(userID), .int8(Int64(limit))]
        let hash =
            "case when t.pending_delete then \(Entity.sentDeletion) else \(entity.sentHash(of: "t")) end"
        var bound =
            takesPaused
            ? ""
            : """
            and (t.push_pause is null or not t.push_pause @> now()
                or \(hash) <> all (coalesce(t.sent_hashes, '{}')))
            """
        if let last {
            let values = keyIndexes.enumerated().map { number, index in
                "($\(number + 3)::\(fields[index].arrayType)[])[1]"
            }
            bound += " and (\(keys.joined(separator: ", "))) > (\(values.joined(separator: ", ")))"
            binds += keyIndexes.map { fields[$0].bind([last.values[$0]]) }
        }
        let same = zip(keys, names).map { "\($0) = p.\($1)" }.joined(separator: " and ")
        let joined = names.map { "m.\($0) = p.\($0)" }.joined(separator: " and ")
        return Statement(
            """
            with picked as materialized (
              select \(zip(keys, names).map { "\($0) as \($1)" }.joined(separator: ", ")),
                t.xmin::text as row_version, t.pending_delete as is_deleted, coalesce(t.sent_hashes, '{}') as sent,
                \(hash) as hash,
                \(texts.joined(separator: ", ")), array_to_string(t.unread_fields, ',') as unread
              from \(table) as t
              where t.user_id = $1 and (not t.synced or t.pending_delete) \(bound)
              order by \(keys.joined(separator: ", "))
              limit $2
              for no key update skip locked
            ), marked as (
              update \(table) as t
              set sent_hashes = (p.sent || p.hash)[greatest(1, cardinality(p.sent) - \(Self.hashesMax - 2)):]
              from picked as p
              where t.user_id = $1 and \(same) and p.hash <> all (p.sent)
              returning \(zip(keys, names).map { "\($0) as \($1)" }.joined(separator: ", ")), t.xmin::text as row_version
            )
            select coalesce(m.row_version, p.row_version) as row_version, p.is_deleted, p.sent <> '{}' as was_sent,
              \(fields.enumerated().map { "p.field_\($0) as \(quoted($1.name))" }.joined(separator: ", ")), p.unread
            from picked as p
            left join marked as m on \(joined)
            order by \(names.map { "p.\($0)" }.joined(separator: ", "))
            """, binds: binds)
    }

    /// So many versions of a row are remembered as sent; more are in doubt at once only where every
    /// answer of a source is lost.
    private static let hashesMax = 16

    /// Reads a row of `take` by position, since a field may have any name; its record's name is filled in
    /// by the caller.
    public func row(_ row: Row) throws -> UnsentRow {
        var odd: [String] = []
        let values = try fields.enumerated().map { index, field in
            let text = try row.optionalText(.index(index + 3))
            let value = text.flatMap { field.value($0) }
            if let text, value == nil { odd.append("\(field.name): \(text) can't be sent") }
            return value
        }
        return UnsentRow(
            values: values, version: try row.text(0), recordName: "",
            changeTag: changeTagIndex.flatMap { values[$0]?.asText },
            isDeleted: try row.bool(1),
            unreadFields: Set(
                (try row.optionalText(.index(fields.count + 3)) ?? "")
                    .split(separator: ",").map(String.init)),
            obstacle: odd.first,
            wasSent: try row.bool(2))
    }

    /// Which of the versions that the source has instead are earlier ones of our own: the `number` of
    /// each in `rows`.
    public func ownEarlier(_ rows: [(row: UnsentRow, remote: RemoteRecord)], _ userID: Int64)
        -> Statement
    {
        // No field can have such names.
        let given = GivenRows(
            self, rows.map(\.row), extra: ["number of"] + fields.map { "new \($0.name)" })
        return Statement(
            """
            with given as materialized (
              \(given.select(types: ["bigint"] + fields.map(\.arrayType)))
            )
            select g."number of" as number
            from given as g
            join \(table) as t on t.user_id = $1 and \(given.match)
            where \(entity.isOwnEarlier("g", than: "t", castsJSON: true, prefix: "new "))
            """,
            binds: [.int8(userID)] + given.binds + [.int8Array(rows.indices.map(Int64.init))]
                + fields.indices.map { index in
                    fields[index].bind(rows.map { $0.remote.values[index] })
                })
    }

}

extension FieldValue {
    fileprivate var asText: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}

extension Field {
    /// The column as a text that `value` reads.
    ///
    /// A time without end is no number of microseconds, and would fail the whole statement.
    fileprivate var textExpression: String {
        let column = "t.\(quoted(name))"
        guard kind == .timestamp else { return "\(column)::text" }
        return
            "case when isfinite(\(column)) then (extract(epoch from \(column)) * 1000000)::bigint::text "
            + "else \(column)::text end"
    }

    fileprivate func value(_ text: String) -> FieldValue? {
        switch kind {
        case .text, .url: .text(text)
        case .timestamp: Int64(text).map { .timestamp($0) }
        case .int: Int64(text).map { .int($0) }
        case .duration, .double: Double(text).map { .double($0) }
        case .decimal: .decimal(text)
        case .bool: .bool(text == "true" || text == "t")
        case .json: .json(text)
        }
    }
}
