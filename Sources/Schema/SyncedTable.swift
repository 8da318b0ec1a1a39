import JSON
import JobFile

/// What a table of schema `synced` should be, from all job files that name it.
struct SyncedTable: Sendable {
    enum Kind: String, Sendable {
        case entity, list

        var plural: String { self == .entity ? "records" : "list items" }
    }

    struct Column: Sendable {
        let name: String
        /// In PostgreSQL's own spelling, as the catalogue tells it.
        let type: String
        var isRequired: Bool
        /// An SQL expression.
        let defaultSQL: String?
        var comment: String

        /// Rows that do not mention it still get a value.
        var isFilled: Bool { defaultSQL != nil }
    }

    let name: String
    let kind: Kind
    var comment: String
    var columns: [Column]
    /// The primary key's columns.
    let key: [String]
    /// As a job file declares it; nil: none does, and the table is only ever added to.
    var store: Store.Kind?
    /// The indexes beside the primary key.
    var indexes: [Index] = []
    /// What rows of the view of live rows satisfy; empty: there is no such view.
    var liveConditions: [String] = []
    /// What local edits and merges must know, as `synced_tables.writable`; nil: nobody writes.
    var writable: JSONValue?
    /// The checkpoints that say what the table holds.
    var sources: [(job: String, entity: String)] = []

    var quotedName: String { "synced.\(quoted(name))" }

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

    /// Takes in what a job file says of the table's rows; returns what contradicts.
    private mutating func declare(_ declared: Store, in jobFile: String) -> [String] {
        guard store == nil || store == declared.kind else {
            return [
                "synced.\(name), as job file \(jobFile) wants it: store \(declared.kind.rawValue), "
                    + "but another one in another job file"
            ]
        }
        store = declared.kind
        return []
    }

    /// The job file reader refuses such names too; here they would become SQL.
    private var badNames: [String] {
        let names = [name] + columns.map(\.name)
        let bad = names.filter { !isIdentifier($0) }.map { "'\($0)' can't name a table or column" }
        let own = columns.map(\.name).filter { name in
            columns.count { $0.name == name } > 1
        }
        return bad + Set(own).sorted().map { "every synced table has a column '\($0)' already" }
    }

    /// Takes in what another job file says of the same table; returns what contradicts.
    private mutating func merge(_ other: SyncedTable, from jobFile: String) -> [String] {
        let place = "synced.\(name), as job file \(jobFile) wants it"
        guard kind == other.kind else {
            return ["\(place): it is a table of \(kind.plural) in another job file"]
        }
        guard Set(key) == Set(other.key) else {
            return ["\(place): key \(words(other.key)), but \(words(key)) in another job file"]
        }
        var mistakes: [String] = []
        for index in columns.indices {
            guard let same = other.columns.first(where: { $0.name == columns[index].name }) else {
                columns[index].isRequired = columns[index].isRequired && columns[index].isFilled
                continue
            }
            if same.type != columns[index].type {
                mistakes.append(
                    "\(place): column \(same.name) is \(same.type), but \(columns[index].type) in "
                        + "another job file")
            }
            columns[index].isRequired = columns[index].isRequired && same.isRequired
            if !columns[index].comment.contains(same.comment) {
                columns[index].comment += " \(same.comment)"
            }
        }
        for var column in other.columns where !columns.contains(where: { $0.name == column.name }) {
            column.isRequired = column.isRequired && column.isFilled
            columns.append(column)
        }
        if !comment.contains(other.comment) { comment += " \(other.comment)" }
        indexes += other.indexes.filter { !indexes.contains($0) }
        liveConditions += other.liveConditions.filter { !liveConditions.contains($0) }
        sources += other.sources
        takeWritable(other)
        return mistakes
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
            comment: "False: changed here and not yet sent to the source (MH30)."),
    ]
}
