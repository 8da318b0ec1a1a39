import JobFile
import Postgres

/// Reads unsent rows in key order and writes what became of them (MS18–MS22).
struct PushStatements: Sendable {
    private let entity: Entity
    private let push: Push
    private let table: String
    private let keyIndexes: [Int]

    init(_ entity: Entity, _ push: Push) {
        self.entity = entity
        self.push = push
        table = "synced.\(quoted(entity.write.table))"
        let names = entity.records.fields.map(\.name)
        keyIndexes = entity.records.key.compactMap { names.firstIndex(of: $0) }
    }

    private var fields: [Field] { entity.records.fields }

    // MARK: Reading

    /// The next rows after `last` in key order; every column as a text, so that one reader does.
    func read(after last: UnsentRow?, limit: Int, userID: Int64) -> Statement {
        let columns = fields.map { field in "\(field.textExpression) as \(quoted(field.name))" }
        var binds: [Bind] = [.int8(userID), .int8(Int64(limit))]
        var bound = ""
        if let last {
            let keys = keyIndexes.map { "t.\(quoted(fields[$0].name))" }.joined(separator: ", ")
            let places = keyIndexes.enumerated().map { place, index in
                "($\(place + 3)::\(fields[index].arrayType)[])[1]"
            }
            bound = "and (\(keys)) > (\(places.joined(separator: ", ")))"
            binds += keyIndexes.map { fields[$0].bind([last.values[$0]]) }
        }
        let order = keyIndexes.map { "t.\(quoted(fields[$0].name))" }.joined(separator: ", ")
        return Statement(
            """
            select t.xmin::text as row_version, t.pending_delete as is_deleted, \(columns.joined(separator: ", "))
            from \(table) as t
            where t.user_id = $1 and (not t.synced or t.pending_delete) \(bound)
            order by \(order)
            limit $2
            """, binds: binds)
    }

    /// Reads a row of `read`; its record's name is filled in by the caller.
    func row(_ row: Row) throws -> UnsentRow {
        let values = try fields.map { field in
            try row.optionalText(.init(stringLiteral: field.name)).flatMap { field.value($0) }
        }
        return UnsentRow(
            values: values, version: try row.text("row_version"), recordName: "",
            changeTag: entity.changeTagColumn.flatMap { text(of: $0, in: values) },
            isDeleted: try row.bool("is_deleted"))
    }

    func text(of column: String, in values: [FieldValue?]) -> String? {
        guard let index = fields.firstIndex(where: { $0.name == column }),
            case .text(let text)? = values[index]
        else { return nil }
        return text
    }

    // MARK: Writing

    /// Rows the source has taken: clean if nobody edited them since, and in any case with the new
    /// tag, so that the next push is no conflict (MS21).
    ///
    /// Times that were sent are cut to whole milliseconds as the source has them, so that both sides
    /// hold the same version.
    func saved(_ rows: [(row: UnsentRow, tag: String, modifiedAt: Int64?)], _ userID: Int64)
        -> Statement
    {
        let given = Given(self, rows.map(\.row), extra: ["tag", "modified", "name"])
        var facts: [String] = []
        if let tag = entity.changeTagColumn { facts.append("\(quoted(tag)) = g.tag") }
        if let name = entity.recordNameColumn, !entity.records.key.contains(name) {
            facts.append("\(quoted(name)) = g.name")
        }
        if let modified = fields.first(where: { $0.meta == "modified" })?.name {
            facts.append("\(quoted(modified)) = coalesce(g.modified, t.\(quoted(modified)))")
        }
        let set = facts.map { ", \($0)" }.joined()
        let retag = facts.isEmpty ? "push_error = null" : facts.joined(separator: ", ")
        let cut = entity.pushedFields.filter { field in
            field.kind == .timestamp && !entity.records.key.contains(field.name)
        }.map { ", \(quoted($0.name)) = date_trunc('milliseconds', t.\(quoted($0.name)))" }
            .joined()
        return Statement(
            """
            with given as materialized (
              \(given.select(types: ["text", "timestamptz", "text"]))
            ), clean as (
              update \(table) as t set synced = true, push_error = null\(set)\(cut) from given as g
              where t.user_id = $1 and \(given.match) and t.xmin::text = g.row_version
              returning true
            ), edited as (
              update \(table) as t set \(retag) from given as g
              where t.user_id = $1 and \(given.match) and t.xmin::text <> g.row_version
              returning true
            )
            select (select count(*) from clean) as clean, (select count(*) from edited) as edited
            """,
            binds: [.int8(userID)] + given.binds + [
                .textArray(rows.map(\.tag)), .timestamptzArray(rows.map(\.modifiedAt)),
                .textArray(rows.map(\.row.recordName)),
            ])
    }

    /// Rows whose record is gone: deleted here too, or, when edited meanwhile or by policy, sent
    /// anew without a tag.
    func removed(_ rows: [UnsentRow], keepsEdits: Bool, _ userID: Int64) -> Statement {
        let given = Given(self, rows, extra: [])
        let untag = entity.changeTagColumn.map { ", \(quoted($0)) = null" } ?? ""
        let same = keepsEdits ? "false" : "t.xmin::text = g.row_version"
        return Statement(
            """
            with given as materialized (
              \(given.select(types: []))
            ), gone as (
              delete from \(table) as t using given as g
              where t.user_id = $1 and \(given.match) and \(same)
              returning true
            ), kept as (
              update \(table) as t set synced = false\(untag) from given as g
              where t.user_id = $1 and \(given.match) and not (\(same))
              returning true
            )
            select (select count(*) from gone) as gone, (select count(*) from kept) as kept
            """, binds: [.int8(userID)] + given.binds)
    }

    /// Rows that give way to the source's version, unless edited since (LU18, MS14).
    func replaced(_ rows: [(row: UnsentRow, remote: [FieldValue?])], _ userID: Int64) -> Statement {
        let others = fields.indices.filter { !keyIndexes.contains($0) }
        let given = Given(self, rows.map(\.row), extra: others.map { "new_\($0)" })
        let set = others.map { index in
            "\(quoted(fields[index].name)) = g.new_\(index)\(fields[index].kind == .json ? "::jsonb" : "")"
        }
        let touched =
            fields.contains { $0.name == "last_modified" } ? [] : ["last_modified = now()"]
        let clean = ["synced = true", "push_error = null", "pending_delete = false"]
        return Statement(
            """
            with given as materialized (
              \(given.select(types: others.map { fields[$0].arrayType }))
            ), replaced as (
              update \(table) as t set \((set + touched + clean).joined(separator: ", ")) from given as g
              where t.user_id = $1 and \(given.match) and t.xmin::text = g.row_version
              returning true
            )
            select count(*) as replaced from replaced
            """,
            binds: [.int8(userID)] + given.binds
                + others.map { index in fields[index].bind(rows.map { $0.remote[index] }) })
    }

    /// Rows the source refused: they stay unsent and say why; the same text is not written again.
    func refused(_ rows: [(row: UnsentRow, error: String)], _ userID: Int64) -> Statement {
        let given = Given(self, rows.map(\.row), extra: ["error"])
        return Statement(
            """
            with given as materialized (
              \(given.select(types: ["text"]))
            )
            update \(table) as t set push_error = g.error from given as g
            where t.user_id = $1 and \(given.match) and t.push_error is distinct from g.error
            """, binds: [.int8(userID)] + given.binds + [.textArray(rows.map(\.error))])
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
            columns = keys.indices.map { "key_\($0)" } + ["row_version"] + extra
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
    fileprivate var textExpression: String {
        kind == .timestamp
            ? "(extract(epoch from t.\(quoted(name))) * 1000000)::bigint::text"
            : "t.\(quoted(name))::text"
    }

    fileprivate func value(_ text: String) -> FieldValue? {
        switch kind {
        case .text, .url: .text(text)
        case .timestamp: Int64(text).map { .timestamp($0) }
        case .int: Int64(text).map { .int($0) }
        case .duration, .double: Double(text).map { .double($0) }
        case .bool: .bool(text == "true" || text == "t")
        case .json: .json(text)
        }
    }
}
