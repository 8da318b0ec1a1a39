import JobFiles

extension SyncedTable {
    /// The indexes of an entity's table: those it names, and those that its parts look rows up by.
    static func indexes(of entity: Entity) -> [Index] {
        let table = entity.write.table
        var lookedUpBy = entity.write.indexes
        if let unique = entity.write.unique { lookedUpBy.append(unique.by) }
        // Tombstones come by record name.
        if let name = entity.recordNameColumn, entity.records.key != [name] {
            lookedUpBy.append([name])
        }
        var indexes: [Index] = []
        for columns in lookedUpBy where columns != entity.records.key {
            let index = Index(of: table, columns: columns)
            if !indexes.contains(index) { indexes.append(index) }
        }
        if entity.push != nil {
            indexes.append(
                Index(
                    of: table, columns: [], named: "unsent",
                    where: "not synced or pending_delete"))
        }
        return indexes
    }

    /// What live rows of an entity's table satisfy; empty when all rows are live.
    static func liveConditions(of entity: Entity) -> [String] {
        var conditions: [String] = []
        if let field = entity.write.deletes?.softField {
            // A deletion that lies ahead is none yet, and sources write "never" as the year 9999.
            conditions.append("(\(quoted(field)) is null or \(quoted(field)) > now())")
        }
        if entity.hidesLosers { conditions.append("hidden_at is null") }
        if entity.push != nil { conditions.append("not pending_delete") }
        return conditions
    }

    /// The columns that pushes and merges keep beside an entity's fields.
    static func keptColumns(of entity: Entity) -> [Column] {
        var columns: [Column] = []
        if entity.push != nil {
            columns.append(
                Column(
                    name: "pending_delete", type: "boolean", isRequired: true, defaultSQL: "false",
                    comment: "True: deleted here, and not yet at the source."))
            columns.append(
                Column(
                    name: "push_error", type: "text", isRequired: false, defaultSQL: nil,
                    comment: "Why the source refused the row's last push."))
            columns.append(
                Column(
                    name: "push_pause", type: "tstzrange", isRequired: false, defaultSQL: nil,
                    comment:
                        "Since a source refused a whole push for this row, and until when the row is not sent "
                        + "again unless it is edited."))
            columns.append(
                Column(
                    name: "sent_hashes", type: "bigint[]", isRequired: false, defaultSQL: nil,
                    comment:
                        "Hashes of what was sent of the row since it was last as the source has it, 0 for its "
                        + "deletion, 1 for a record of its own that the source had already: what comes back with one of them never replaces a later edit."
                )
            )
            columns.append(
                Column(
                    name: "unread_fields", type: "text[]", isRequired: false, defaultSQL: nil,
                    comment:
                        "Fields of which the source's value could not be read: null or the default here, and not sent back."
                ))
        }
        if entity.hidesLosers {
            columns.append(
                Column(
                    name: "hidden_at", type: "timestamp with time zone", isRequired: false,
                    defaultSQL: nil,
                    comment: "Since when another row stands for this one; null: shown."))
        }
        return columns
    }
}

extension Entity {
    var hidesLosers: Bool { write.unique?.losers == .keepHidden }
}
