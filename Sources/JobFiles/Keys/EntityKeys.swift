import JSON

extension Mapping where Model == Entity {
    static let entity = Mapping(
        "entity", "One kind of record. What it lacks may stand in `defaults`.",
        blank: Entity(
            name: "", isEnabled: true, cloudkit: nil, request: .blank, page: .blank,
            incremental: nil, records: .blank, write: .blank, recover: [], forEach: nil,
            probe: nil, isConditional: false, push: nil),
        oneOf: ["cloudkit", "request"]
    ) {
        required(
            "entity", \.name, .name,
            "The name of the entity and its checkpoint, unique in the file.")
        standard(
            "enabled", \.isEnabled, .boolean,
            "With `false` the entity is declared and its table kept, but runs leave it alone.")
        optional(
            "cloudkit", \.cloudkit, .cloudkit,
            "The operation of the preset, which stands in place of `request`."
        ).only(.withPreset)
        usual(
            "request", \.request, .asked, without: "required without `cloudkit`",
            "What is sent for each page."
        ).when { $0.cloudkit == nil }
        optional(
            "continue", \.continuation, .continuation, without: "`request`",
            """
            What is sent in place of `request` where a page goes on from a position, with the styles `token` and \
            `sync_token`: a list that one address begins and another one goes on with. Its answers are judged by \
            `request.expect`.
            """
        ).only(.withoutPreset)
        usual(
            "errors", \.errors, Form<[ErrorRule]>.errors,
            without: "a status of `request.expect` is a list, but for the `errors` of GraphQL",
            "What an answer means that is no list, or says of itself that it is none. The first rule that fits holds."
        ).only(.withoutPreset)
        optional(
            "for_each", \.forEach, .forEach, without: "there is one pass",
            "Reads one pass for each of several items; of two sources one for each pair."
        ).only(.withoutPreset)
        optional(
            "probe", \.probe, .probe,
            "The small request that tells whether a pass is worth reading.")
        required("page", \.page, .page, "How a pass goes from page to page.")
        optional(
            "incremental", \.incremental, .incremental, without: "every pass is full",
            "What makes a pass incremental.")
        standard(
            "conditional", \.isConditional, .boolean,
            """
            `ETag` and `Last-Modified` of a pass's first answer are sent back, and 304 ends the next \
            pass; from a source that sends neither, the very same answer does. It is for requests by `GET`, and \
            for lists of one page.
            """)
        required("records", \.records, .records, "Where the records are.")
        required("write", \.write, Mapping<Write>.write.form, "Where the records go.")
        usual("recover", \.recover, .recoveries, "Declared failures and their cures.")
        optional(
            "push", \.push, Mapping<Push>.push.form,
            without: "records made here stay here, others are not edited",
            "How local edits reach the source."
        ).only(.withPreset)
        standard(
            "requires_previous", \.requiresPrevious, .boolean,
            "With `true` the entity is synced only in a run that has read the one before it to its end."
        ).when(\.requiresPrevious)
    }

    /// The keys that `defaults` may hold.
    static let ofDefaults = entity.keys.map(\.name).filter { $0 != "entity" && $0 != "enabled" }
}

extension Entity {
    /// As a file writes it.
    var written: JSONValue { Mapping<Entity>.entity.written(unexpanded) }
}

extension Form where Value == [Entity] {
    /// In file order, each with the defaults merged in.
    static let entities = Form(
        type: .filled(Mapping<Entity>.entity.form.type),
        read: { node, reading in
            guard let elements = reading.filledList(node) else { return nil }
            var names: Set<String> = []
            let entities = elements.compactMap { element in
                if let name = element["entity"], let text = name.scalarText,
                    !names.insert(text).inserted
                {
                    reading.add(name, "entity \"\(excerpt(of: text))\" appears twice")
                }
                let entity = reading.entity(element.withDefaults(reading.scope.defaults))
                entity.map { reading.scope.entities.append($0) }
                return entity
            }
            return entities
        }, write: { .array($0.map { $0.written }) })
}

extension Form where Value == Node {
    /// What is merged into every entity, without what it can't hold, so that no entity reports it again.
    static let defaults = Form(
        type: Mapping<Entity>.entity.form.type,
        read: { node, reading in
            guard let entries = reading.entries(node) else { return nil }
            let known = Mapping<Entity>.ofDefaults
            let report = UnknownKeys(
                known: known, variant: "defaults", elsewhere: ["entity", "enabled"])
            _ = report.tell(entries, of: node, to: reading)
            return Node(
                content: .mapping(entries.filter { known.contains($0.key) }),
                position: node.position, path: node.path)
        }, write: { _ in nil })
}

extension NodeReading {
    fileprivate func entity(_ node: Node) -> Entity? {
        let isOfPreset =
            node["cloudkit"] != nil || scope.isCloudKit && node["request"] == nil
        scope.entity = EntityScope(node: node, isOfPreset: isOfPreset)
        scope.ranBefore = scope.before
        defer { scope.entity = nil }
        guard let parts = Mapping<Entity>.entity.readParts(node, self) else { return nil }
        checkParts(parts, node)
        guard parts.isReadable else { return nil }
        let entity = parts.model.expanded(at: scope.address)
        checkEntity(entity, node)
        checkIdleKeys(entity, node)
        return entity
    }
}

extension Form where Value == Request {
    /// The request of the file's own; its placeholders are kept for what other keys say of them.
    fileprivate static let asked = Form(
        type: Mapping<Request>.ofEntity.form.type,
        read: { node, reading in
            let (request, uses) = reading.collectingUses { reading.request(node) }
            let isAsked = request != nil && reading.scope.entity?.isOfPreset == false
            if isAsked { reading.scope.entity?.uses = uses }
            return request
        }, write: Mapping<Request>.ofEntity.form.write)

    /// The request for the pages behind a position; that holds what the first one does, and the position.
    fileprivate static let continuation = Form(
        type: Mapping<Request>.ofEntity.form.type,
        read: { node, reading in
            let (request, uses) = reading.collectingUses { reading.request(node) }
            guard let request else {
                // What it would have sent is not known.
                reading.scope.entity?.uses?.append(PlaceholderUse(placeholder: nil, node: node))
                return nil
            }
            if let expect = node["expect"] {
                reading.add(expect, "its answers are judged as those of request; leave expect out")
            }
            let sendsPosition = uses.contains { $0.placeholder == .pageToken }
            if !sendsPosition, uses.allSatisfy({ $0.placeholder != nil }) {
                reading.add(
                    node, "{page.token} is never sent; it would ask for the same page for ever")
            }
            reading.scope.entity?.uses?.append(contentsOf: uses)
            return request
        }, write: Mapping<Request>.ofEntity.form.write)
}

extension NodeReading {
    fileprivate func request(_ node: Node) -> Request? {
        let isOfItem = !scope.isCloudKit && scope.entity?.node["for_each"] != nil
        return (isOfItem ? Mapping<Request>.ofItem : .ofEntity).read(node, self)
    }
}
