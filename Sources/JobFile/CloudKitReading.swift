import JSON

/// `cloudkit` of an entity and of `before`: the preset's own operations.
extension Reading {
    private static let keysByOperation: KeyValuePairs<String, [String]> = [
        "records/query": ["type", "where", "since", "sort"],
        "changes/zone": ["zone", "record_types"],
    ]

    /// CloudKit's word for each comparison.
    static let comparators: KeyValuePairs<String, String> = [
        "=": "EQUALS", "!=": "NOT_EQUALS", "<": "LESS_THAN", "<=": "LESS_THAN_OR_EQUALS",
        ">": "GREATER_THAN", ">=": "GREATER_THAN_OR_EQUALS", "begins_with": "BEGINS_WITH",
    ]

    /// System fields that can be compared (CloudKit Web Services, `systemFieldName`).
    private static let systemNames = [
        "recordName", "createdTimestamp", "modifiedTimestamp", "createdUserRecordName",
        "modifiedUserRecordName",
    ]

    func cloudkitOperation(_ node: Node) -> CloudKitOperation? {
        guard let entries = entries(node) else { return nil }
        guard let opNode = entries.first(where: { $0.key == "op" })?.value else {
            add(node, "missing key \"op\"")
            return nil
        }
        let known = Self.keysByOperation.map(\.key)
        guard let op = choice(opNode, "operation", of: known),
            let own = Self.keysByOperation.first(where: { $0.key == op })?.value,
            let keys = Keys(
                node, self, known: ["op"] + own, variant: "op \"\(op)\"",
                elsewhere: Self.keysByOperation.flatMap(\.value))
        else { return nil }
        if !scope.isCloudKit { add(node, "cloudkit needs source.preset: cloudkit") }
        return op == "changes/zone" ? zoneChanges(keys, opNode) : query(keys).map { .query($0) }
    }

    private func zoneChanges(_ keys: Keys, _ opNode: Node) -> CloudKitOperation? {
        if scope.place?.database == .public {
            add(opNode, "the public database has no change feed; use records/query")
        }
        let zone = keys.required("zone").flatMap { zoneName($0) }
        let types = keys.required("record_types").flatMap { filledList($0) }?
            .compactMap { recordType($0) }
        guard let zone, let types else { return nil }
        return .zoneChanges(zone: zone, recordTypes: types)
    }

    private func query(_ keys: Keys) -> CloudKitQuery? {
        let type = keys.required("type").flatMap { recordType($0) }
        let filters = keys["where"].flatMap { filledList($0) }?.compactMap { filter($0) }
        let since = keys["since"].flatMap { self.since($0) }
        let sort = keys["sort"].flatMap { self.sort($0) }
        guard let type else { return nil }
        return CloudKitQuery(type: type, since: since, filters: filters ?? [], sort: sort ?? [])
    }

    private func filter(_ node: Node) -> CloudKitQuery.Filter? {
        guard let keys = Keys(node, self, known: ["field", "system", "op", "value"]) else {
            return nil
        }
        let name = queryName(keys, of: Self.systemNames)
        let comparator = keys.required("op")
            .flatMap { self.comparator($0, of: Self.comparators.map(\.key)) }
        let value = keys.required("value").flatMap { filterValue($0) }
        guard let name, let comparator, let value else { return nil }
        return CloudKitQuery.Filter(name: name, comparator: comparator, value: value)
    }

    private func filterValue(_ node: Node) -> BodyTemplate? {
        guard let json = json(node) else { return nil }
        switch json {
        case .string: return template(node, .call).map { .text($0) }
        case .number: return .literal(json)
        case .bool: add(node, "CloudKit holds yes and no as numbers; write 1 or 0")
        case .array, .object, .null:
            add(node, "expected a text or a number, found \(node.words)")
        }
        return nil
    }

    private func since(_ node: Node) -> CloudKitQuery.Since? {
        guard let keys = Keys(node, self, known: ["field", "system", "op"]) else { return nil }
        let name = queryName(keys, of: ["createdTimestamp", "modifiedTimestamp"])
        let comparator = keys.required("op").flatMap { self.comparator($0, of: [">", ">="]) }
        guard let name, let comparator else { return nil }
        return CloudKitQuery.Since(name: name, comparator: comparator)
    }

    private func comparator(_ node: Node, of words: [String]) -> String? {
        choice(node, "comparison", of: words).flatMap { word in
            Self.comparators.first { $0.key == word }?.value
        }
    }

    private func sort(_ node: Node) -> [CloudKitQuery.Sort]? {
        filledList(node)?.compactMap { element in
            guard let keys = Keys(element, self, known: ["field", "system", "order"]) else {
                return nil
            }
            let name = queryName(keys, of: Self.systemNames)
            let order = keys["order"].flatMap { choice($0, "order", of: ["asc", "desc"]) }
            return name.map { CloudKitQuery.Sort(name: $0, isAscending: order != "desc") }
        }
    }

    private func queryName(_ keys: Keys, of system: [String]) -> CloudKitQuery.Name? {
        guard let (key, value) = keys.exactlyOne(of: ["field", "system"]) else { return nil }
        if key == "field" { return sourceName(value, "field").map { .field($0) } }
        return choice(value, "system field", of: system).map { .system($0) }
    }

    /// The preset's form of a probe: one record of the entity's query, in an order of its own.
    func cloudkitProbe(_ node: Node, _ operation: CloudKitOperation) -> Probe? {
        guard case .query(let query) = operation else {
            add(node, "a change feed tells by itself that nothing changed; leave probe out")
            return nil
        }
        guard let keys = Keys(node, self, known: ["sort", "limit", "skip_if_same", "full_every"])
        else { return nil }
        let sort = keys.required("sort").flatMap { self.sort($0) }
        if let limit = keys["limit"] { _ = int(limit, 1...1) }
        let names = keys.required("skip_if_same").flatMap { filledList($0) }?
            .compactMap { choice($0, "value", of: ["recordName", "recordChangeTag"]) }
        let fullEvery = keys.required("full_every").flatMap { self.fullEvery($0) }
        guard let sort, let names, let fullEvery else { return nil }
        return Probe(
            request: query.probeRequest(at: scope.place, sort: sort),
            skipIfSame: names.map { Path(steps: CloudKitWire.queryRecords + [.member($0)]) },
            fullEvery: fullEvery, sort: sort)
    }

    /// A step of `before` that only the preset knows how to take.
    func presetStep(_ node: Node, _ word: Node) -> PresetStep? {
        if !scope.isCloudKit { add(word, "cloudkit needs source.preset: cloudkit") }
        guard let step = choice(word, "step", of: ["ensure_zone", "check_account"]),
            let keys = Keys(
                node, self,
                known: ["cloudkit"] + (step == "ensure_zone" ? ["zone", "remember"] : []),
                variant: "step \"\(step)\"", elsewhere: ["zone", "remember", "if_any"])
        else { return nil }
        if step == "check_account" { return .checkAccount }
        if let database = scope.place?.database, database != .private {
            add(word, "zones are made in the private database, not in the \(database.rawValue) one")
        }
        let remember = keys["remember"].flatMap { bool($0) }
        return keys.required("zone").flatMap { zoneName($0) }
            .map { .ensureZone($0, isRemembered: remember ?? false) }
    }

    private func zoneName(_ node: Node) -> String? {
        guard let text = text(node) else { return nil }
        let isClean = text.utf8.allSatisfy {
            isLowercase($0 | 0x20) || isDigit($0) || "-._".utf8.contains($0)
        }
        guard isClean, (1...255).contains(text.utf8.count), !text.hasPrefix("_") else {
            add(node, "\"\(excerpt(of: text))\" is no name of a custom zone")
            return nil
        }
        return text
    }

    /// The name of a record type.
    func recordType(_ node: Node) -> String? { sourceName(node, "record type") }

    private func sourceName(_ node: Node, _ noun: String) -> String? {
        guard let text = text(node) else { return nil }
        let isClean = text.utf8.allSatisfy {
            isLowercase($0 | 0x20) || isDigit($0) || $0 == UInt8(ascii: "_")
        }
        guard isClean, (1...255).contains(text.utf8.count), text.utf8.first.map(isDigit) != true
        else {
            add(
                node,
                "\"\(excerpt(of: text))\" is no \(noun), expected letters, digits and _ only")
            return nil
        }
        return text
    }
}
