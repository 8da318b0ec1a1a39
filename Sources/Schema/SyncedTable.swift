import JSON
import JobFiles

/// What a table of schema `synced` should be, from all job files that name it.
public struct SyncedTable: Sendable {
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

    /// An index that readers, merges or pushes need.
    struct Index: Sendable, Equatable {
        let name: String
        /// After `user_id`.
        let columns: [String]
        /// Restricts it to some rows; an SQL condition.
        let condition: String?

        /// Named after the table and its columns; a long name keeps its head and a hash.
        init(
            of table: String, columns: [String], named suffix: String? = nil,
            where condition: String? = nil
        ) {
            let full = "\(table)_\(suffix ?? "by_\(columns.joined(separator: "_"))")"
            name =
                full.utf8.count <= 63
                ? full : "\(full.prefix(46))_\(checksum(of: full).prefix(16))"
            self.columns = columns
            self.condition = condition
        }
    }

    let name: String
    let kind: Kind
    var comment: String
    var columns: [Column]
    /// The primary key's columns.
    let key: [String]
    /// As a job file declares it; nil when none does, and the table is only ever added to.
    var store: Store.Kind?
    /// The indexes beside the primary key.
    var indexes: [Index] = []
    /// What rows of the view of live rows satisfy; empty: there is no such view.
    var liveConditions: [String] = []
    /// What local edits and merges must know, as `synced_tables.writable`; nil when nobody writes.
    var writable: JSONValue?
    /// What an application reads of a record that is told of as changed, from every file that fills the table.
    var readColumns: Set<String> = []
    /// Whether a job file wants changes of its rows told.
    var tellsChanges = false
    /// The checkpoints that say what the table holds.
    var sources: [(job: String, entity: String)] = []

    /// Name of the view of live rows.
    var viewName: String { "\(name)_live" }

    var quotedName: String { "synced.\(quoted(name))" }

    /// Takes in what a job file says of the table's rows; returns what contradicts.
    mutating func declare(_ declared: Store, in jobFile: String) -> [String] {
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
    var badNames: [String] {
        let names = [name] + columns.map(\.name)
        let bad = names.filter { !isIdentifier($0) }.map { "'\($0)' can't name a table or column" }
        let own = columns.map(\.name).filter { name in
            columns.count { $0.name == name } > 1
        }
        return bad + Set(own).sorted().map { "every synced table has a column '\($0)' already" }
    }

    /// Takes in what another job file says of the same table; returns what contradicts.
    mutating func merge(_ other: SyncedTable, from jobFile: String) -> [String] {
        let subject = "synced.\(name), as job file \(jobFile) wants it"
        guard kind == other.kind else {
            return ["\(subject): it is a table of \(kind.plural) in another job file"]
        }
        guard Set(key) == Set(other.key) else {
            return ["\(subject): key \(words(other.key)), but \(words(key)) in another job file"]
        }
        var mistakes: [String] = []
        for index in columns.indices {
            guard let same = other.columns.first(where: { $0.name == columns[index].name }) else {
                columns[index].isRequired = columns[index].isRequired && columns[index].isFilled
                continue
            }
            if same.type != columns[index].type {
                mistakes.append(
                    "\(subject): column \(same.name) is \(same.type), but \(columns[index].type) in "
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
        readColumns.formUnion(other.readColumns)
        tellsChanges = tellsChanges || other.tellsChanges
        sources += other.sources
        return mistakes
    }
}
