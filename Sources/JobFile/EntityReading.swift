/// `defaults` and `entities`.
extension Reading {
    private static let defaultKeys = [
        "request", "page", "incremental", "records", "write", "recover",
    ]

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
        guard Keys(node, self, known: Self.defaultKeys) != nil,
            case .mapping(let entries) = node.content
        else { return nil }
        let known = entries.filter { Self.defaultKeys.contains($0.key) }
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
        guard let keys = Keys(node, self, known: ["entity"] + Self.defaultKeys) else { return nil }
        let name = keys.required("entity").flatMap { self.name($0) }
        let requestNode = keys.required("request")
        let (request, uses) = collectingUses { requestNode.flatMap { entityRequest($0) } }
        checkCalls(in: uses, ranBefore: scope.before)
        let known = request == nil ? nil : uses
        let pageNode = keys.required("page")
        let page = pageNode.flatMap { self.page($0, request: requestNode, uses: known) }
        let recordsNode = keys.required("records")
        let isPaged = page.map { $0.style != .single } ?? false
        let records = recordsNode.flatMap { self.records($0, isPaged: isPaged) }
        let write = keys.required("write").flatMap { self.write($0) }
        let incremental = keys["incremental"].flatMap { self.incremental($0) }
        let recover = keys["recover"].map { recoveries($0) }
        if let known { checkSince(known, keys: keys, request: requestNode) }
        checkNewerBy(keys, records: records, write: write, incremental: incremental)
        if let page, let records { checkKeyset(keys, page: page, records: records) }
        guard let name, let request, let page, let records, let write else { return nil }
        return Entity(
            name: name, isEnabled: true, cloudkit: nil, request: request, page: page,
            incremental: incremental, records: records, write: write, recover: recover ?? [],
            forEach: nil, probe: nil, isConditional: false, push: nil)
    }

    private func entityRequest(_ node: Node) -> Request? {
        Keys(node, self, known: Self.requestKeys)
            .flatMap { request($0, methods: ["GET", "POST"], [.pass, .call]) }
    }

    private func incremental(_ node: Node) -> Incremental? {
        guard let keys = Keys(node, self, known: ["watermark", "overlap", "format", "full_if"])
        else { return nil }
        let watermark = keys.required("watermark")
            .flatMap { word($0, "watermark", as: Incremental.Watermark.self) }
        let overlap = keys["overlap"].flatMap { duration($0, .zero ... .days(30)) }
        let format = keys["format"].flatMap { word($0, "format", as: Incremental.Format.self) }
        let fullIf = keys["full_if"].flatMap { filledList($0) }?.compactMap { fullCondition($0) }
        guard let watermark else { return nil }
        if watermark == .runStart, format == .raw, let node = keys["format"] {
            add(node, "a run's start has no raw form; use iso8601, epoch_s or epoch_ms")
        }
        return Incremental(
            watermark: watermark, overlap: overlap ?? .zero, format: format ?? .iso8601,
            fullIf: fullIf ?? [], fallsBackToJob: false, fullEvery: nil)
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

    private func recoveries(_ node: Node) -> [Recovery] {
        var names: Set<String> = []
        return (list(node) ?? []).compactMap { element in
            guard let keys = Keys(element, self, known: ["name", "if", "do", "then", "times"])
            else { return nil }
            let name = keys.required("name").flatMap { self.name($0) }
            if let name, !names.insert(name).inserted {
                add(element, "recovery \"\(name)\" appears twice")
            }
            let statuses = keys.required("if").flatMap { self.statuses($0) }
            let steps = keys["do"].flatMap { list($0) }?.compactMap { callName($0) }
            let then = keys.required("then").flatMap { word($0, "end", as: Recovery.Then.self) }
            let times = keys.required("times").flatMap { int($0, 1...10) }
            guard let name, let statuses, let then, let times else { return nil }
            return Recovery(
                name: name, statuses: statuses, codes: [], reasonHas: [],
                steps: (steps ?? []).map { .call($0) }, then: then, times: times)
        }
    }

    /// One status or a list of them.
    private func statuses(_ node: Node) -> [Int]? {
        guard let keys = Keys(node, self, known: ["status"]),
            let status = keys.required("status")
        else { return nil }
        guard case .sequence = status.content else { return recoverable(status).map { [$0] } }
        return filledList(status)?.compactMap { recoverable($0) }
    }

    private func recoverable(_ node: Node) -> Int? {
        guard let status = int(node, 400...599) else { return nil }
        guard status == 401 || status == 421 else { return status }
        add(node, "\(status) parks the job until a new secret arrives; it can't be recovered from")
        return nil
    }
}

/// What two parts of one entity must agree on.
extension Reading {
    private func checkSince(_ uses: [PlaceholderUse], keys: Keys, request: Node?) {
        let use = uses.first { $0.placeholder == .since }
        if let use, keys["incremental"] == nil {
            add(use.node, "{since} has no value without incremental")
        }
        let isReadable = uses.allSatisfy { $0.placeholder != nil }
        if use == nil, isReadable, keys["incremental"] != nil, let request {
            add(request, "incremental, but {since} is never sent; every pass would be a full one")
        }
    }

    private func checkNewerBy(
        _ keys: Keys, records: Records?, write: Write?, incremental: Incremental?
    ) {
        let seesMax = incremental?.watermark == .maxSeen
        guard let node = keys["write"]?["newer_by"] else {
            if seesMax, write != nil, write?.mode != .newestWins,
                let place = keys["incremental"]?["watermark"]
            {
                add(place, "max_seen needs write.newer_by, the field whose largest value it keeps")
            }
            return
        }
        guard let names = keys["records"]?["fields"]?.keys,
            let name = fieldName(node, names: names), let field = records?.field(named: name)
        else { return }
        guard field.kind == .timestamp || field.kind == .int else {
            add(
                node,
                "newer_by must be a timestamp or an int, \"\(name)\" is \(field.kind.rawValue)")
            return
        }
        guard seesMax, field.kind == .int, let incremental, let place = keys["incremental"] else {
            return
        }
        if incremental.format != .raw {
            add(place["format"] ?? place, "\"\(name)\" is an int, so the format must be raw")
        }
        if incremental.overlap != .zero, let overlap = place["overlap"] {
            add(overlap, "\"\(name)\" is an int, so no time can be taken off it")
        }
    }

    private func checkKeyset(_ keys: Keys, page: Page, records: Records) {
        guard case .keyset(.field(let name), _) = page.style, let node = keys["page"]?["by"],
            fieldName(node, names: keys["records"]?["fields"]?.keys) != nil,
            let field = records.field(named: name)
        else { return }
        if ![.int, .timestamp, .text].contains(field.kind) || !field.required {
            add(node, "a keyset's field must be a required int, timestamp or text")
        }
    }
}
