/// `after` and `health`.
extension NodeReading {
    /// The steps in order; a clean-up names a table and a column that an entity writes.
    func after(_ node: Node, entities: [Entity]) -> [AfterStep] {
        (list(node) ?? []).compactMap { element in
            guard let keys = Keys(element, self, of: AfterKey.self),
                let (key, value) = keys.alternative()
            else { return nil }
            let onlyIf = keys.word(.onlyIf, as: AfterStep.OnlyIf.self)
            let action: AfterStep.Action? =
                switch key {
                case .call: callName(value).map { .call($0) }
                case .storeLists: storeLists(value)
                case .raiseCounts: raiseCounts(value)
                case .cleanup, .onlyIf: cleanup(value, entities: entities)
                }
            guard let action, let onlyIf else { return nil }
            return AfterStep(action: action, onlyIf: onlyIf)
        }
    }

    private func cleanup(_ node: Node, entities: [Entity]) -> AfterStep.Action? {
        guard let keys = Keys(node, self, of: CleanupKey.self) else { return nil }
        let table = keys.value(.table).flatMap { entityTable($0, of: entities) }
        let age = keys.duration(.olderThan)
        let by = keys.value(.by).flatMap { column($0, of: table, in: entities) }
        guard let table, let age, let by else { return nil }
        let kind = field(by, of: table, in: entities)?.kind
        if let kind, kind != .timestamp, let location = keys[.by] {
            add(location, "a clean-up goes by a timestamp, \"\(by)\" is \(kind.rawValue)")
        }
        return .cleanup(table: table, by: by, olderThan: age)
    }

    /// A table that records are written to; lists have none.
    private func entityTable(_ node: Node, of entities: [Entity]) -> String? {
        guard let name = name(node) else { return nil }
        let tables = entities.map(\.write.table)
        guard tables.isEmpty || tables.contains(name) else {
            addUnknown("table", name, known: tables, at: node)
            return nil
        }
        return name
    }

    private func column(_ node: Node, of table: String?, in entities: [Entity]) -> String? {
        let fields = entities.first { $0.write.table == table }?.records.fields
        return fieldName(node, names: fields?.map(\.name))
    }

    private func field(_ name: String, of table: String, in entities: [Entity]) -> Field? {
        entities.first { $0.write.table == table }?.records.field(named: name)
    }

    func health(_ node: Node, entities: [Entity]) -> [HealthCheck] {
        (list(node) ?? []).compactMap { element in
            guard let keys = Keys(element, self, of: HealthKey.self) else { return nil }
            let table = keys.value(.table).flatMap { entityTable($0, of: entities) }
            let by = keys.elements(.by)?.compactMap { column($0, of: table, in: entities) }
            guard let table, let by else { return nil }
            return HealthCheck(table: table, by: by)
        }
    }
}
