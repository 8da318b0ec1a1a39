import JSON

/// `cloudkit` of an entity and of `before`: the preset's own operations.
extension NodeReading {
    func cloudkitOperation(_ node: Node) -> CloudKitOperation? {
        guard let (op, opNode, keys) = variant(node, of: CloudKitKey.self, deciding: .op) else {
            return nil
        }
        if !scope.isCloudKit { add(node, "cloudkit needs source.preset: cloudkit") }
        switch op {
        case "changes/zone": return zoneChanges(keys.and(FeedKey.self), opNode)
        case "core_data": return coreData(keys.and(CoreDataKey.self), opNode)
        default: return query(keys.and(QueryKey.self)).map { .query($0) }
        }
    }

    private func coreData(_ keys: Keys<CoreDataKey>, _ opNode: Node) -> CloudKitOperation? {
        if let database = scope.address?.database, database != .private {
            add(
                opNode,
                database == .public
                    ? "Core Data mirrors a store in database private"
                    : "Core Data keeps what others share in zones of other names; use changes/zone")
        }
        return keys.value(.entity).flatMap { sourceName($0, "entity") }.map {
            .coreData(entity: $0)
        }
    }

    private func zoneChanges(_ keys: Keys<FeedKey>, _ opNode: Node) -> CloudKitOperation? {
        if scope.address?.database == .public {
            add(opNode, "the public database has no change feed; use records/query")
        }
        let zone = keys.value(.zone).flatMap { zoneName($0) }
        let owner = zoneOwner(keys)
        guard let (key, _) = keys.alternative(),
            let types = keys.elements(key)?.compactMap({ recordType($0) }), let zone
        else { return nil }
        return .zoneChanges(
            zone: zone, owner: owner,
            recordTypes: key == .recordTypes ? .only(types) : .except(types))
    }

    /// A zone that another user shares is found by its owner's name, one's own without.
    private func zoneOwner(_ keys: Keys<FeedKey>) -> Template? {
        let isShared = scope.address?.database == .shared
        guard isShared else {
            if let node = keys[.owner] {
                add(node, "only a zone of database shared has another owner; leave owner out")
            }
            return nil
        }
        return keys.required(.owner).flatMap { template($0, .call) }
    }

    private func query(_ keys: Keys<QueryKey>) -> CloudKitQuery? {
        let type = keys.value(.type).flatMap { recordType($0) }
        let filters = keys.elements(.conditions)?.compactMap { queryFilter($0) }
        let since = keys[.since].flatMap { self.since($0) }
        let sort = keys.elements(.sort)?.compactMap { self.sort($0) }
        guard let type else { return nil }
        return CloudKitQuery(type: type, since: since, filters: filters ?? [], sort: sort ?? [])
    }

    private func queryFilter(_ node: Node) -> CloudKitQuery.Filter? {
        guard let keys = Keys(node, self, of: FilterKey.self) else { return nil }
        let name = queryName(keys)
        let comparator = keys.word(.op).flatMap { self.comparator($0) }
        let value = keys.value(.value).flatMap { filterValue($0) }
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
        guard let keys = Keys(node, self, of: SinceKey.self) else { return nil }
        let name = queryName(keys)
        let comparator = keys.word(.op).flatMap { self.comparator($0) }
        guard let name, let comparator else { return nil }
        return CloudKitQuery.Since(name: name, comparator: comparator)
    }

    private func comparator(_ word: String) -> String? {
        FilterKey.comparators.first { $0.key == word }?.value
    }

    private func sort(_ node: Node) -> CloudKitQuery.Sort? {
        guard let keys = Keys(node, self, of: SortKey.self) else { return nil }
        let name = queryName(keys)
        let order = keys.word(.order)
        return name.map { CloudKitQuery.Sort(name: $0, isAscending: order != "desc") }
    }

    private func queryName(_ keys: Keys<some ComparedKey>) -> CloudKitQuery.Name? {
        guard let (key, value) = keys.alternative() else { return nil }
        if key == .field { return sourceName(value, "field").map { .field($0) } }
        return keys.word(.system).map { .system($0) }
    }

    /// The preset's form of a probe: one record of the entity's query, in an order of its own.
    func cloudkitProbe(_ node: Node, _ operation: CloudKitOperation) -> Probe? {
        guard case .query(let query) = operation else {
            add(node, "a change feed tells by itself that nothing changed; leave probe out")
            return nil
        }
        guard
            let keys = Keys<ProbeKey>(
                node, self, isPreset: true, variant: "a probe with cloudkit")
        else { return nil }
        let sort = keys.elements(.sort)?.compactMap { self.sort($0) }
        let names = keys.elements(.skipIfSame)?
            .compactMap { choice($0, "value", of: ProbeKey.presetValues) }
        let fullEvery = keys.duration(.fullEvery)
        guard let sort, let names, let fullEvery else { return nil }
        return Probe(
            request: query.probeRequest(at: scope.address, sort: sort),
            skipIfSame: names.map { Path(steps: CloudKitWire.queryRecords + [.member($0)]) },
            fullEvery: fullEvery, sort: sort)
    }

    /// A step of `before` that only the preset knows how to take.
    func presetStep(_ node: Node, _ word: Node) -> PresetStep? {
        if !scope.isCloudKit { add(word, "cloudkit needs source.preset: cloudkit") }
        guard let step = choice(word, "step", of: BeforeKey.presetSteps),
            let keys = Keys(
                node, self, of: BeforeKey.self,
                only: step == "ensure_zone" ? [.cloudkit, .zone, .remember] : [.cloudkit],
                variant: "step \"\(step)\"")
        else { return nil }
        if step == "check_account" { return .checkAccount }
        if let database = scope.address?.database, database != .private {
            add(word, "zones are made in the private database, not in the \(database.rawValue) one")
        }
        let remember = keys.bool(.remember)
        return keys.required(.zone).flatMap { zoneName($0) }
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

    /// The name of a record type, an entity or a field at the source.
    func sourceName(_ node: Node, _ noun: String) -> String? {
        text(node).flatMap { isSourceName($0, noun, at: node.position, node.path) ? $0 : nil }
    }

    /// Whether a key may name a field of a record.
    func fieldOfRecord(_ name: String, at position: Position, _ path: String) -> String? {
        isSourceName(name, "field", at: position, path) ? name : nil
    }

    private func isSourceName(
        _ text: String, _ noun: String, at position: Position, _ path: String
    ) -> Bool {
        let isClean = text.utf8.allSatisfy {
            isLowercase($0 | 0x20) || isDigit($0) || $0 == UInt8(ascii: "_")
        }
        guard isClean, (1...255).contains(text.utf8.count), text.utf8.first.map(isDigit) != true
        else {
            add(
                position, path,
                "\"\(excerpt(of: text))\" is no \(noun), expected letters, digits and _ only")
            return false
        }
        return true
    }
}
