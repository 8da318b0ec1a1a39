/// `freshness`, `after`, `stores` and `health`.
extension Reading {
    func freshness(_ node: Node) -> Freshness? {
        guard let keys = Keys(node, self, known: ["soft", "hard", "soft_uses"]) else { return nil }
        let bounds = Duration.seconds(1) ... .days(365)
        let soft = keys.required("soft").flatMap { duration($0, bounds) }
        let hard = keys.required("hard").flatMap { duration($0, bounds) }
        let uses = keys["soft_uses"].flatMap { choice($0, "word", of: ["probe", "pass"]) }
        guard let soft, let hard else { return nil }
        if soft > hard, let place = keys["soft"] {
            add(
                place,
                "rows can't be stale at \(soft.jobFileText) that are fresh until "
                    + "\(hard.jobFileText); soft must not be longer than hard")
        }
        return Freshness(soft: soft, hard: hard, softUsesProbe: uses == "probe")
    }

    /// The steps in order; a clean-up names a table and a column that an entity writes.
    func after(_ node: Node, entities: [Entity]) -> [AfterStep] {
        (list(node) ?? []).compactMap { element in
            guard let keys = Keys(element, self, known: ["call", "cleanup", "only_if"]),
                let (key, value) = keys.exactlyOne(of: ["call", "cleanup"])
            else { return nil }
            let onlyIf = keys["only_if"].map { word($0, "word", as: AfterStep.OnlyIf.self) }
            let action =
                key == "call"
                ? callName(value).map { AfterStep.Action.call($0) }
                : cleanup(value, entities: entities)
            guard let action else { return nil }
            return AfterStep(action: action, onlyIf: (onlyIf ?? nil) ?? .complete)
        }
    }

    private func cleanup(_ node: Node, entities: [Entity]) -> AfterStep.Action? {
        guard let keys = Keys(node, self, known: ["table", "older_than", "by"]) else { return nil }
        let table = keys.required("table").flatMap { entityTable($0, of: entities) }
        let age = keys.required("older_than")
            .flatMap { duration($0, .minutes(1) ... .days(36_500)) }
        let by = keys.required("by").flatMap { column($0, of: table, in: entities) }
        guard let table, let age, let by else { return nil }
        let kind = field(by, of: table, in: entities)?.kind
        if let kind, kind != .timestamp, let place = keys["by"] {
            add(place, "a clean-up goes by a timestamp, \"\(by)\" is \(kind.rawValue)")
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

    /// A store may be of a table that another file fills, so only a near miss is a mistake.
    func stores(_ node: Node) -> [Store] {
        (entries(node) ?? []).compactMap { entry in
            guard isName(entry.key, at: entry.position, entry.value.path) else { return nil }
            if let tables = scope.tables, !tables.contains(entry.key),
                let nearest = nearestWord(to: entry.key, in: tables)
            {
                add(
                    entry.position, entry.value.path,
                    "unknown table \"\(entry.key)\"; did you mean \"\(nearest)\"?",
                    nearest: nearest)
            }
            return store(entry)
        }
    }

    private func store(_ entry: Node.Entry) -> Store? {
        guard let entries = entries(entry.value) else { return nil }
        guard let kindNode = entries.first(where: { $0.key == "kind" })?.value else {
            add(entry.value, "missing key \"kind\"")
            return nil
        }
        guard let kind = word(kindNode, "kind", as: Store.Kind.self) else { return nil }
        let own = kind == .synced ? "schema" : "on_schema_failure"
        guard
            let keys = Keys(
                entry.value, self, known: ["kind", own], variant: "a \(kind.rawValue) store",
                elsewhere: ["schema", "on_schema_failure"])
        else { return nil }
        if let value = keys[own] {
            _ = isWord(kind == .synced ? "additive_only" : "recreate_and_refetch", value)
        }
        return Store(table: entry.key, kind: kind)
    }

    func health(_ node: Node, entities: [Entity]) -> [HealthCheck] {
        (list(node) ?? []).compactMap { element in
            guard
                let keys = Keys(element, self, known: ["check", "table", "by", "on", "report"])
            else { return nil }
            let isKnown = keys.required("check").map { isWord("duplicates", $0) }
            if let value = keys["on"] { _ = isWord("worker_start", value) }
            if let value = keys["report"] { isTrue(value, otherwise: "a check only reports") }
            let table = keys.required("table").flatMap { entityTable($0, of: entities) }
            let by = keys.required("by").flatMap { filledList($0) }?
                .compactMap { column($0, of: table, in: entities) }
            guard isKnown == true, let table, let by else { return nil }
            return HealthCheck(table: table, by: by)
        }
    }
}
