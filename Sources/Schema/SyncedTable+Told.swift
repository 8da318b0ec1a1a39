import JSON
import JobFiles

extension SyncedTable {
    /// The columns of a record that are the application's business: its fields, and whether another row stands for it.
    ///
    /// A change tag is between jobrunner and the source.
    static func readColumns(of entity: Entity) -> Set<String> {
        var names = Set(entity.records.fields.map(\.name) + entity.records.key)
        if let tag = entity.changeTagColumn, !entity.records.key.contains(tag) { names.remove(tag) }
        if entity.hidesLosers { names.insert("hidden_at") }
        return names
    }

    /// What `changes_since` tells of a row, as `synced_tables.told`; nil where no job file wants its changes told.
    ///
    /// In one order, whichever file comes first: another text has every reader begin anew.
    var told: JSONValue? {
        guard tellsChanges else { return nil }
        return .object([
            JSONMember("key", .array(key.filter { $0 != "user_id" }.map { .string($0) })),
            JSONMember("row", .array(readColumns.sorted().map { .string($0) })),
            JSONMember("waits", .bool(columns.contains { $0.name == "pending_delete" })),
        ])
    }
}
