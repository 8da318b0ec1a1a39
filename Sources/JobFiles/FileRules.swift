/// What the parts of a whole file must agree on.
extension NodeReading {
    func checkFile(_ file: JobFile, _ root: Node) {
        checkBroughtSecrets(file, root)
        for store in file.stores {
            for entity in file.entities where entity.write.table == store.table {
                let node = root.entity(named: entity.name).map { own in
                    root["defaults"].map { merge(own, over: $0) } ?? own
                }
                check(entity, node, in: store)
            }
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
