public import JobFiles
public import Postgres
import Reading

/// Reads unsent rows in key order and writes what became of them.
public struct PushStatements: Sendable {
    private let entity: Entity
    private let push: Push
    private let table: String
    private let keyIndexes: [Int]

    /// Makes the texts for an entity's push.
    public init(_ entity: Entity, _ push: Push) {
        self.entity = entity
        self.push = push
        table = "synced.\(quoted(entity.write.table))"
        let names = entity.records.fields.map(\.name)
        keyIndexes = entity.records.key.compactMap { names.firstIndex(of: $0) }
    }

    private var fields: [Field] { entity.records.fields }

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
            changeTag: entity.changeTagColumn.flatMap { text(of: $0, in: values) },
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
        let given = Given(
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

    func text(of column: String, in values: [FieldValue?]) -> String? {
        guard let index = fields.firstIndex(where: { $0.name == column }),
            case .text(let text)? = values[index]
        else { return nil }
        return text
    }

    // MARK: Writing

    /// Rows the source has taken: clean if nobody edited them since, and in any case with the new
    /// tag, so that the next push is no conflict.
    ///
    /// One update decides both for the row as it is locked: an editor may come between the statement's
    /// beginning and that. Times that were sent are cut to whole milliseconds as the source has them, so
    /// that both sides hold the same version.
    public func saved(_ rows: [(row: UnsentRow, tag: String, modifiedAt: Int64?)], _ userID: Int64)
        -> Statement
    {
        let given = Given(self, rows.map(\.row), extra: ["tag", "modified", "name", "unread"])
        let isSame = "t.xmin::text = g.row_version"
        var sets = [
            "synced = t.synced or \(isSame)",
            "push_error = case when \(isSame) then null else t.push_error end",
            "sent_hashes = case when \(isSame) then null else t.sent_hashes end",
            "push_pause = null",
            // What was sent is no longer a value that nobody could read: a later null clears it.
            "unread_fields = g.unread::text[]",
        ]
        if let tag = entity.changeTagColumn { sets.append("\(quoted(tag)) = g.tag") }
        if let name = entity.recordNameColumn, !entity.records.key.contains(name) {
            sets.append("\(quoted(name)) = g.name")
        }
        if let modified = fields.first(where: { $0.meta == "modified" })?.name {
            sets.append("\(quoted(modified)) = coalesce(g.modified, t.\(quoted(modified)))")
        }
        for field in entity.pushedFields
        where field.kind == .timestamp && !entity.records.key.contains(field.name) {
            let column = quoted(field.name)
            sets.append(
                "\(column) = case when \(isSame) then date_trunc('milliseconds', t.\(column)) else t.\(column) end"
            )
        }
        return Statement(
            """
            with given as materialized (
              \(given.select(types: ["text", "timestamptz", "text", "text"]))
            )
            update \(table) as t set \(sets.joined(separator: ", ")) from given as g
            where t.user_id = $1 and \(given.match)
            """,
            binds: [.int8(userID)] + given.binds + [
                .textArray(rows.map(\.tag)), .timestamptzArray(rows.map(\.modifiedAt)),
                .textArray(rows.map(\.row.recordName)),
                .textArray(rows.map { stillUnread($0.row) }),
            ])
    }

    /// The fields that a push of the row left out, as an array's text; nil: none.
    private func stillUnread(_ row: UnsentRow) -> String? {
        let names = fields.indices.filter { row.leavesOut(fields[$0], at: $0) }
            .map { fields[$0].name }
        return names.isEmpty ? nil : "{\(names.joined(separator: ","))}"
    }

    /// Rows whose record is gone: deleted here too, or, when edited meanwhile or by policy, sent
    /// anew without a tag.
    ///
    /// So is one that lives again after we ourselves sent its deletion. Decided for the rows as they are
    /// locked.
    public func removed(_ rows: [UnsentRow], keepsEdits: Bool, _ userID: Int64) -> Statement {
        let given = Given(self, rows, extra: [])
        let untag = entity.changeTagColumn.map { ", \(quoted($0)) = null" } ?? ""
        let goes =
            keepsEdits
            ? "false"
            : "t.xmin::text = g.row_version and (t.pending_delete or "
                + "\(Entity.sentDeletion) <> all (coalesce(t.sent_hashes, '{}')))"
        let keys = keyIndexes.map { "t.\(quoted(fields[$0].name))" }
        let locked = keys.enumerated().map { "\($1) as key_\($0)" }.joined(separator: ", ")
        let match = keys.enumerated().map { "\($1) = l.key_\($0)" }.joined(separator: " and ")
        return Statement(
            """
            with given as materialized (
              \(given.select(types: []))
            ), locked as materialized (
              select \(locked), \(goes) as goes
              from \(table) as t
              join given as g on \(given.match)
              where t.user_id = $1
              order by \(keys.joined(separator: ", "))
              for update of t
            ), gone as (
              delete from \(table) as t using locked as l where t.user_id = $1 and \(match) and l.goes
            )
            update \(table) as t set synced = false, sent_hashes = null\(untag) from locked as l
            where t.user_id = $1 and \(match) and not l.goes
            """, binds: [.int8(userID)] + given.binds)
    }

    /// Rows that give way to the source's version, unless edited since.
    ///
    /// An edit made since keeps the tag of before: it knows nothing of the source's version either, so
    /// the next push meets the conflict again.
    public func replaced(_ rows: [(row: UnsentRow, remote: RemoteRecord)], _ userID: Int64)
        -> Statement
    {
        let others = fields.indices.filter { !keyIndexes.contains($0) }
        let given = Given(self, rows.map(\.row), extra: others.map { "new_\($0)" } + ["unread"])
        let set = others.map { index in
            "\(quoted(fields[index].name)) = g.new_\(index)\(fields[index].kind == .json ? "::jsonb" : "")"
        }
        let touched =
            fields.contains { $0.name == "last_modified" } ? [] : ["last_modified = now()"]
        let clean = [
            "synced = true", "push_error = null", "push_pause = null", "pending_delete = false",
            "sent_hashes = null", "unread_fields = g.unread::text[]",
        ]
        return Statement(
            """
            with given as materialized (
              \(given.select(types: others.map { fields[$0].arrayType } + ["text"]))
            ), replaced as (
              update \(table) as t set \((set + touched + clean).joined(separator: ", ")) from given as g
              where t.user_id = $1 and \(given.match) and t.xmin::text = g.row_version
              returning true
            )
            select count(*) as replaced from replaced
            """,
            binds: [.int8(userID)] + given.binds
                + others.map { index in fields[index].bind(rows.map { $0.remote.values[index] }) }
                + [.textArray(rows.map(\.remote.unreadFields))])
    }

    /// Rows that were refused: they stay unsent and say why; the same text is not written again.
    ///
    /// Those that `pause` wait before they are sent again as they are, twice as long each time, from a
    /// minute to a day: as long as they are in a batch they cost it requests.
    public func refused(
        _ rows: [(row: UnsentRow, error: String, pauses: Bool)], _ userID: Int64
    ) -> Statement {
        let given = Given(self, rows.map(\.row), extra: ["error", "pauses"])
        return Statement(
            """
            with given as materialized (
              \(given.select(types: ["text", "boolean"]))
            )
            update \(table) as t set push_error = g.error,
              push_pause = case when g.pauses then tstzrange(now(), now() + least(
                coalesce(2 * (upper(t.push_pause) - lower(t.push_pause)), interval '1 minute'), interval '1 day')) end
            from given as g
            where t.user_id = $1 and \(given.match) and (g.pauses or t.push_error is distinct from g.error)
            """,
            binds: [.int8(userID)] + given.binds + [
                .textArray(rows.map(\.error)), .boolArray(rows.map(\.pauses)),
            ])
    }

    /// Rows handed to a statement: their keys, the version they were read in, and more per row.
    private struct Given {
        let binds: [Bind]
        let match: String
        private let columns: [String]
        private let keyTypes: [String]

        init(_ statements: PushStatements, _ rows: [UnsentRow], extra: [String]) {
            let keys = statements.keyIndexes.map { statements.fields[$0] }
            binds =
                zip(statements.keyIndexes, keys).map { index, field in
                    field.bind(rows.map { $0.values[index] })
                } + [.textArray(rows.map(\.version))]
            match = keys.enumerated().map { "t.\(quoted($1.name)) = g.key_\($0)" }
                .joined(separator: " and ")
            columns = keys.indices.map { "key_\($0)" } + ["row_version"] + extra.map(quoted)
            keyTypes = keys.map(\.arrayType)
        }

        func select(types: [String]) -> String {
            let all = keyTypes + ["text"] + types
            let arrays = all.enumerated().map { "$\($0 + 2)::\($1)[]" }
            return "select * from unnest(\(arrays.joined(separator: ", "))) "
                + "as g (\(columns.joined(separator: ", ")))"
        }
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
