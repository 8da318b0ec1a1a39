/// What the parts of a whole file must agree on.
extension NodeReading {
    func checkFile(_ file: JobFile, _ root: Node) {
        checkBroughtSecrets(file, root)
        checkAddresses(file, root)
        for entity in file.entities where entity.records.keyless == .one {
            let others = file.entities.filter {
                $0.write.table == entity.write.table && $0.name != entity.name
            }
            guard let other = others.first, let node = root.entity(named: entity.name) else {
                continue
            }
            add(
                node["write"]?["table"] ?? node,
                "entity \"\(other.name)\" writes the one row of table \"\(entity.write.table)\" too: give each a table of its own"
            )
        }
        for store in file.stores {
            for entity in file.entities where entity.write.table == store.table {
                let node = root.entity(named: entity.name)?.withDefaults(root["defaults"])
                check(entity, node, in: store)
            }
        }
    }

    /// One table has one set of columns and one key, whoever writes it.
    func checkTables(_ root: Node, lists: [ListTable], entities: [Entity]) {
        var shapes: [String: (owner: String, shape: TableShape)] = [:]
        func check(_ table: String, _ owner: String, _ shape: TableShape, at node: Node?) {
            guard let first = shapes[table] else {
                shapes[table] = (owner, shape)
                return
            }
            guard first.shape != shape, let node else { return }
            add(node, "table \"\(table)\" has other columns or another key in \(first.owner)")
        }
        for list in lists {
            check(
                list.table, "list \"\(list.name)\"", TableShape(list),
                at: root["lists"]?[list.name]?["table"])
        }
        for entity in entities {
            let node = root.entity(named: entity.name)
            check(
                entity.write.table, "entity \"\(entity.name)\"", TableShape(entity),
                at: node?["write"]?["table"] ?? node)
        }
    }

    /// A synced store is only ever added to, a disposable one holds nothing that is only
    /// here.
    private func check(_ entity: Entity, _ node: Node?, in store: Store) {
        guard store.kind == .synced else {
            if entity.push != nil, let location = node?["push"] {
                add(
                    location,
                    "table \"\(store.table)\" is disposable, so edits not yet sent would be lost")
            }
            return
        }
        if entity.write.mode == .replaceAll, let location = node?["write"]?["mode"] {
            add(location, "replace_all deletes rows of a synced store; expected another mode")
        }
        // What says which record a row is, which version, and which rows are one: without it there is no row.
        let deciding =
            entity.records.key + entity.identity + (entity.write.unique?.by ?? [])
            + [entity.write.newerBy].compactMap(\.self)
        for field in entity.records.fields
        where field.required && !deciding.contains(field.name) {
            guard let location = node?["records"]?["fields"]?[field.name]?["required"] else {
                continue
            }
            add(
                location,
                "a field of a synced store can't be required unless it is of the key, newer_by or of unique.by"
            )
        }
    }
}

/// What makes two descriptions of a table the same.
struct TableShape: Equatable {
    var columns: [String: Field.Kind]
    var key: Set<String>

    init(_ list: ListTable) {
        columns = Dictionary(
            [(list.column, .text)] + list.columns.map { ($0.name, $0.kind) },
            uniquingKeysWith: { $1 })
        key = [list.column]
    }

    init(_ entity: Entity) {
        columns = Dictionary(
            entity.records.fields.map { ($0.name, $0.kind) }, uniquingKeysWith: { $1 })
        key = Set(entity.records.key)
    }
}
