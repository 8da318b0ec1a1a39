import JSON
import JobFiles

// The tables that job files declare.
extension SyncedTable {
    /// The tables of the job files, by name; throws `.incompatible` when they contradict.
    static func all(of jobFiles: [JobFile]) throws -> [SyncedTable] {
        var tables: [String: SyncedTable] = [:]
        var mistakes: [String] = []
        for jobFile in jobFiles {
            let declared =
                jobFile.lists.map { SyncedTable($0, of: jobFile) }
                + jobFile.entities.map { SyncedTable($0, of: jobFile) }
            for table in declared {
                mistakes += table.badNames.map { "job file \(jobFile.name): \($0)" }
                if var known = tables[table.name] {
                    mistakes += known.merge(table, from: jobFile.name)
                    known.takeWritable(table)
                    tables[table.name] = known
                } else {
                    tables[table.name] = table
                }
            }
        }
        for jobFile in jobFiles {
            for store in jobFile.stores {
                mistakes += tables[store.table]?.declare(store, in: jobFile.name) ?? []
            }
        }
        for table in tables.values where !table.liveConditions.isEmpty {
            if tables[table.viewName] != nil || !isIdentifier(table.viewName) {
                mistakes.append("'\(table.viewName)' can't name the view of live rows")
            }
        }
        guard mistakes.isEmpty else { throw SchemaError.incompatible(mistakes) }
        return tables.values.sorted { $0.name < $1.name }
    }

    private init(_ list: ListTable, of jobFile: JobFile) {
        name = list.table
        kind = .list
        comment = "List '\(list.name)' of job file \(jobFile.name): one row per user and item."
        columns = [
            Column(
                name: "user_id", type: "bigint", isRequired: true, defaultSQL: nil,
                comment: "Whose item: jobrunner.users.id."),
            Column(
                name: list.column, type: "text", isRequired: true, defaultSQL: nil,
                comment: "Item of list '\(list.name)' of job file \(jobFile.name)."),
        ]
        key = ["user_id", list.column]
        writable = Self.writable(list, of: jobFile)
        guard !list.columns.isEmpty else { return }
        columns += list.columns.map { field in
            Column(
                name: field.name, type: field.kind.sqlType, isRequired: false, defaultSQL: nil,
                comment:
                    "What the application knows of an item of list '\(list.name)' of job file \(jobFile.name)."
            )
        }
        columns += Self.ownColumns.map { column in
            guard column.name == "synced" else { return column }
            return Column(
                name: column.name, type: column.type, isRequired: true, defaultSQL: "false",
                comment: "True: a call has sent the item to the source.")
        }
    }

    private init(_ entity: Entity, of jobFile: JobFile) {
        let origin = "entity '\(entity.name)' of job file \(jobFile.name)"
        name = entity.write.table
        kind = .entity
        comment = "Records of \(origin)."
        key = ["user_id"] + entity.records.key
        let fields = entity.records.fields.map { field in
            Column(
                name: field.name, type: field.kind.sqlType,
                // A row that was made here has no system values yet.
                isRequired: field.required
                    && (field.meta == nil || entity.records.key.contains(field.name)),
                defaultSQL: field.defaultValue.flatMap { sqlLiteral($0, type: field.kind.sqlType) },
                comment: "Field '\(field.name)' of \(origin)"
                    + (field.kind == .duration ? ", in seconds." : "."))
        }
        // A source's own time of change takes the place of ours.
        let own = Self.ownColumns.filter { column in
            column.name != "last_modified" || !fields.contains { $0.name == column.name }
        }
        columns = [Self.userColumn] + fields + own + Self.keptColumns(of: entity)
        indexes = Self.indexes(of: entity)
        liveConditions = Self.liveConditions(of: entity)
        writable = Self.writable(entity, of: jobFile)
        readColumns = Self.readColumns(of: entity)
        tellsChanges = entity.write.tellsChanges
        sources = [(jobFile.name, entity.name)]
    }

    private static let userColumn = Column(
        name: "user_id", type: "bigint", isRequired: true, defaultSQL: nil,
        comment: "Whose record: jobrunner.users.id.")

    private static let ownColumns = [
        Column(
            name: "inserted_at", type: "timestamp with time zone", isRequired: true,
            defaultSQL: "now()", comment: "When the record was first seen here."),
        Column(
            name: "last_modified", type: "timestamp with time zone", isRequired: true,
            defaultSQL: "now()", comment: "When the row was last changed here."),
        Column(
            name: "synced", type: "boolean", isRequired: true, defaultSQL: "true",
            comment: "False: changed here and not yet sent to the source."),
    ]
}
