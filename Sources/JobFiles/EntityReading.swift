/// `defaults` and `entities`.
extension NodeReading {
    /// The entities in file order, each with the defaults merged in.
    func entities(_ node: Node, defaults: Node?) -> [Entity]? {
        let defaults = defaults.flatMap { knownDefaults($0) }
        guard let elements = filledList(node) else { return nil }
        var names: Set<String> = []
        return elements.compactMap { element in
            if let name = element["entity"], case .scalar(let text, _) = name.content,
                !names.insert(text).inserted
            {
                add(name, "entity \"\(excerpt(of: text))\" appears twice")
            }
            return entity(defaults.map { merge(element, over: $0) } ?? element)
        }
    }

    /// The defaults without what they can't hold, so that no entity reports it again.
    private func knownDefaults(_ node: Node) -> Node? {
        guard Keys(node, self, only: EntityKey.ofDefaults, variant: "defaults") != nil,
            case .mapping(let entries) = node.content
        else { return nil }
        let names = EntityKey.ofDefaults.map(\.rawValue)
        let known = entries.filter { names.contains($0.key) }
        return Node(content: .mapping(known), position: node.position, path: node.path)
    }

    /// An entity that names its own page style takes nothing from the page of the defaults, whose
    /// keys belong to another style.
    func merge(_ entity: Node, over defaults: Node) -> Node {
        guard entity["page"]?["style"] != nil, case .mapping(let entries) = defaults.content else {
            return entity.merged(over: defaults)
        }
        var rest = defaults
        rest.content = .mapping(entries.filter { $0.key != "page" })
        return entity.merged(over: rest)
    }

    private func entity(_ node: Node) -> Entity? {
        guard let keys = Keys(node, self, of: EntityKey.self) else { return nil }
        let name = keys.name(.entity)
        let isEnabled = keys.bool(.enabled) ?? true
        let (read, filterUses) = collectingUses { keys[.cloudkit].map { cloudkitOperation($0) } }
        checkCalls(in: filterUses, ranBefore: scope.before)
        let operation = read ?? nil
        let (request, uses) = asked(keys, operation)
        // Of an operation that can't be read nobody knows how it pages and which columns it adds.
        let isKnown = read != .some(nil)
        let page = keys.required(.page).flatMap { node in
            isKnown
                ? self.page(node, request: keys[.request], uses: uses, operation: operation) : nil
        }
        let isPaged = page.map { $0.style != .single } ?? false
        let records = keys.required(.records).flatMap { node in
            isKnown
                ? self.records(
                    node, isPaged: isPaged, operation: operation, isPushed: keys[.push] != nil)
                : nil
        }
        let columns = records.map { self.columns(of: $0, keys) }
        let write = keys.required(.write).flatMap { self.write($0, columns: columns) }
        let incremental = keys[.incremental].flatMap {
            self.incremental($0, isCloudKit: keys[.cloudkit] != nil)
        }
        let errors = keys.elements(.errors).map { failureSigns($0) }
        let recover = keys[.recover].map { recoveries($0) }
        let forEach = keys[.forEach].flatMap { self.forEach($0) }
        let probe = keys[.probe].flatMap { self.probe($0, keys, operation) }
        let isConditional = keys.bool(.conditional)
        let push = keys[.push].flatMap { self.push($0, prefix: operation?.fieldPrefix ?? "") }
        let requiresPrevious = keys.bool(.requiresPrevious)
        if let uses { checkSince(uses, keys: keys) }
        checkNewerBy(keys, columns: columns, write: write, incremental: incremental)
        if let page, let records { checkKeyset(keys, page: page, records: records) }
        guard let name, let request, let page, let records, let write else { return nil }
        let entity = Entity(
            name: name, isEnabled: isEnabled, cloudkit: operation, request: request,
            errors: errors ?? [], page: page,
            incremental: incremental, records: records, write: fit(write, to: operation),
            recover: recover ?? [], forEach: forEach, probe: probe,
            isConditional: isConditional ?? false, push: push,
            requiresPrevious: requiresPrevious ?? false)
        checkEntity(entity, keys)
        checkIdleKeys(entity, keys, operation == nil ? uses : nil)
        return entity
    }

    /// The request of the file's own, or the one a preset's operation makes.
    ///
    /// The placeholders are nil where they can't be known or are the preset's.
    private func asked(
        _ keys: Keys<EntityKey>, _ operation: CloudKitOperation?
    ) -> (Request?, [PlaceholderUse]?) {
        if !scope.isCloudKit, keys[.cloudkit] == nil {
            guard let node = keys.required(.request) else { return (nil, nil) }
            return asked(
                node, permits: keys[.forEach] == nil ? [.pass, .call] : [.pass, .call, .chunk])
        }
        guard let (key, node) = keys.alternative() else {
            return (nil, nil)
        }
        if key == .request { return asked(node, permits: [.pass, .call]) }
        return (operation?.request(at: scope.address), nil)
    }

    private func asked(_ node: Node, permits: Permits) -> (Request?, [PlaceholderUse]?) {
        let (request, uses) = collectingUses { entityRequest(node, permits) }
        checkCalls(in: uses, ranBefore: scope.before)
        return (request, request == nil ? nil : uses)
    }

    private func entityRequest(_ node: Node, _ permits: Permits) -> Request? {
        Keys(node, self, of: RequestKey.self).flatMap { request($0, permits) }
    }

    private func columns(of records: Records, _ keys: Keys<EntityKey>) -> Columns {
        let known = records.fields.map(\.name)
        let mapped = keys[.records]?["fields"]?.keys ?? []
        return Columns(
            names: mapped + known.filter { !mapped.contains($0) }, fields: records.fields,
            key: records.key)
    }

    /// Tombstones come from a feed or a flag; a preset's flag is one of a record's fields.
    private func fit(_ write: Write, to operation: CloudKitOperation?) -> Write {
        var write = write
        let hasSource = operation?.feed != nil || write.deletes?.flagAt != nil
        if !hasSource { write.deletes?.appliesTombstones = false }
        if let operation, let flag = write.deletes?.flagAt {
            write.deletes?.flagAt = CloudKitWire.wirePath(flag, prefix: operation.fieldPrefix)
        }
        return write
    }

    private func forEach(_ node: Node) -> ForEach? {
        guard let keys = Keys(node, self, of: ForEachKey.self) else { return nil }
        let list = keys.value(.list).flatMap { listName($0) }
        let chunk = keys.int(.chunk)
        guard let list, let chunk else { return nil }
        return ForEach(list: list, chunk: chunk)
    }

    private func probe(_ node: Node, _ entity: Keys<EntityKey>, _ operation: CloudKitOperation?)
        -> Probe?
    {
        if let operation { return cloudkitProbe(node, operation) }
        guard entity[.cloudkit] == nil,
            let keys = Keys<ProbeKey>(
                node, self, isPreset: false, variant: "a probe without cloudkit")
        else { return nil }
        let (request, _) = keys.value(.request).map { asked($0, permits: .call) } ?? (nil, nil)
        let paths = keys.elements(.skipIfSame)?.compactMap { innerPath($0, toOne: false) }
        let fullEvery = keys.duration(.fullEvery)
        guard let request, let paths, let fullEvery else { return nil }
        return Probe(request: request, skipIfSame: paths, fullEvery: fullEvery)
    }

    private func incremental(_ node: Node, isCloudKit: Bool) -> Incremental? {
        guard let keys = Keys(node, self, of: IncrementalKey.self) else { return nil }
        let watermark = keys.word(.watermark, as: Incremental.Watermark.self)
        let isCount = keys[.overlap].map { self.isCount($0) } ?? false
        let count = isCount ? keys[.overlap].flatMap { int($0, 1 ... .max) } : nil
        let overlap =
            isCount ? nil : keys[.overlap].flatMap { duration($0, .zero ... .days(30)) }
        let format = keys.word(.format, as: Incremental.Format.self)
        let fullIf = keys.elements(.fullIf)?.compactMap { fullCondition($0) }
        let fallsBack = keys.word(.fallback) != nil
        let fullEvery = keys.duration(.fullEvery)
        let start = keys[.start].flatMap { self.start($0) }
        let isAscending = keys.bool(.ascending) ?? false
        guard let watermark else { return nil }
        if watermark == .runStart, format == .raw, let node = keys[.format] {
            add(node, "a run's start has no raw form; use iso8601, epoch_s or epoch_ms")
        }
        if isCloudKit, let format, format != .epochMilliseconds, let node = keys[.format] {
            add(node, "CloudKit's times are numbers of milliseconds; expected epoch_ms")
        }
        return Incremental(
            watermark: watermark, overlap: overlap ?? .zero, overlapCount: Int64(count ?? 0),
            format: format ?? (isCloudKit ? .epochMilliseconds : .iso8601), fullIf: fullIf ?? [],
            fallsBackToJob: fallsBack, fullEvery: fullEvery, start: start, isAscending: isAscending)
    }

    private func isCount(_ node: Node) -> Bool {
        if case .scalar(let text, isPlain: true) = node.content {
            isJSONNumber(text)
        } else {
            false
        }
    }

    /// A time, or a whole number.
    private func start(_ node: Node) -> String? {
        if case .scalar(let text, isPlain: true) = node.content, Int64(text) != nil { return text }
        guard let text = text(node) else { return nil }
        if isTimestamp(text) { return text }
        add(
            node,
            "expected a time such as 2025-01-31T00:00:00Z or a whole number, found \(node.words)")
        return nil
    }

    private func fullCondition(_ node: Node) -> Condition? {
        if let changed = node["list_changed"] {
            add(changed, "list_changed compares with what a call sent, so it belongs in before")
            return nil
        }
        let (condition, uses) = collectingUses { self.condition(node) }
        checkCalls(in: uses, ranBefore: scope.before)
        return condition
    }
}
