public import JobFiles

// The statements that make a table of schema `synced`.
extension SyncedTable {
    /// Makes the table, its comments and its indexes; without its view of live rows.
    var creation: [String] {
        let definitions = columns.map { "  \($0.definition(isRequired: $0.isRequired)),\n" }
        let key = key.map(quoted).joined(separator: ", ")
        return ["create table \(quotedName) (\n\(definitions.joined())  primary key (\(key))\n)"]
            + [commentSQL] + columns.map { commentSQL(on: $0) }
            + indexes.flatMap { creation(of: $0) }
    }

    /// Makes the view of live rows, or replaces it.
    var liveView: [String] {
        let view = "synced.\(quoted(viewName))"
        return [
            """
            create or replace view \(view) as
            select * from \(quotedName) where \(liveConditions.joined(separator: " and "))
            """, "comment on view \(view) is \(quotedText(viewComment))",
        ]
    }

    /// All that `migrate` makes for these job files in a database that has none of it, as SQL.
    ///
    /// Throws `SchemaError.incompatible` when they contradict one another.
    public static func rendered(for jobFiles: [JobFile]) throws -> [String] {
        try all(of: jobFiles).flatMap { table in
            table.creation + (table.liveConditions.isEmpty ? [] : table.liveView)
        }
    }
}

extension SyncedTable {
    var commentSQL: String {
        "comment on table \(quotedName) is \(quotedText(comment))"
    }

    func commentSQL(on column: Column) -> String {
        "comment on column \(quotedName).\(quoted(column.name)) is \(quotedText(column.comment))"
    }

    var viewComment: String {
        "Live rows of synced.\(name): \(liveConditions.joined(separator: " and "))."
    }

    /// The statements that make an index and say what it is for.
    func creation(of index: Index, concurrently: Bool = false) -> [String] {
        let columns = (["user_id"] + index.columns).map(quoted).joined(separator: ", ")
        let condition = index.condition.map { " where \($0)" } ?? ""
        let purpose =
            index.condition == nil
            ? "A user's rows by \(index.columns.joined(separator: ", "))."
            : "A user's rows that are yet to be sent to the source."
        return [
            "create index \(concurrently ? "concurrently " : "")\(quoted(index.name)) on \(quotedName) (\(columns))\(condition)",
            "comment on index synced.\(quoted(index.name)) is \(quotedText(purpose))",
        ]
    }
}

extension SyncedTable.Column {
    func definition(isRequired: Bool) -> String {
        "\(quoted(name)) \(type)" + (defaultSQL.map { " default \($0)" } ?? "")
            + (isRequired ? " not null" : "")
    }
}
