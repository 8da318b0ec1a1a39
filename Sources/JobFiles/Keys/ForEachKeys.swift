import JSON

extension Form where Value == ForEach {
    /// One source of items, or two.
    static let forEach = Form(
        type: .oneOrMore(Mapping<ItemSource>.forEach.form.type),
        read: { node, reading in
            guard let sources = sources.read(node, reading) else { return nil }
            guard node.elements.isEmpty || sources.count == node.elements.count else { return nil }
            if sources.count > 2 {
                reading.add(node.elements[2], "expected one source of items or two, not more")
                return nil
            }
            Place(node, reading).checkPair(sources)
            return ForEach(sources: sources)
        }, write: { sources.write($0.sources)?.alone })

    private static let sources = Form<[ItemSource]>.oneOrMore(
        Mapping<ItemSource>.forEach.form)
}

extension JSONValue {
    /// The one element of a list, as a file writes it; else the list.
    fileprivate var alone: JSONValue {
        if case .array(let elements) = self, elements.count == 1 { elements[0] } else { self }
    }
}

extension Mapping where Model == ItemSource {
    fileprivate static let forEach = Mapping(
        "for_each", "Where the items come from that an entity has a pass each for.",
        blank: ItemSource(origin: .values([])),
        oneOf: ["list", "rows", "values", "user", "call"],
        rules: [
            .when(.isThere("rows"), [.needs(["columns"]), .forbids(["as"])]),
            .when(.not(.isThere("rows")), [.forbids(["columns", "only", "full_every"])]),
            .when(.isThere("call"), [.needs(["at"])]),
            .when(.not(.isThere("call")), [.forbids(["at"])]),
            .when(.isThere("values"), [.needs(["as"]), .forbids(["chunk"])]),
            .when(.isThere("chunk"), [.forbids(["as"])]),
        ]
    ) {
        one(
            "list", \.origin, .list, { .list($0) },
            { if case .list(let name) = $0 { name } else { nil } },
            "The name of a list of the file.")
        one(
            "rows", \.origin, .name, { .rows(ItemRows(entity: $0)) },
            { if case .rows(let rows) = $0 { rows.entity } else { nil } },
            "The name of an entity that stands before: its stored rows of the user are the items.")
        one(
            "values", \.origin, .filled(.text), { .values($0) },
            { if case .values(let values) = $0 { values } else { nil } },
            "The items themselves.")
        one(
            "user", \.origin, .name, { .attribute($0) },
            { if case .attribute(let name) = $0 { name } else { nil } },
            "The name of an attribute of the user that is a list, or one value.")
        one(
            "call", \.origin, .call, { .call(ItemCall(name: $0)) },
            { if case .call(let call) = $0 { call.name } else { nil } },
            "The name of a call that runs before: values in its answer are the items.")
        usual(
            "columns", \.columns, .filled(.name),
            "The columns that an item is made of, each under its name: `{each.board_id}`. Needed with `rows`."
        )
        usual(
            "at", \.at, .path,
            "Where the answer of the call has the items, such as `accounts[].id`. Needed with `call`."
        ).when { $0.at != Path(steps: []) }
        usual(
            "as", \.alias, .name, without: "the name of the list, attribute or call",
            "The name of an item: `{each.x}`. Needed with `values`."
        ).when { $0.name != nil }
        usual(
            "only", \.onlyChanged, .only("changed"), without: "every item is asked for",
            "With `changed` an item is not asked for whose row is as it was when its pass began.")
        usual(
            "full_every", \.fullEvery, .fullEvery, without: "`1d`",
            "After so long an item is asked for whatever its row says. It goes with `only`."
        ).when(\.onlyChanged)
        optional(
            "chunk", \.chunk, .integer(1...10_000), without: "each item has a pass",
            "How many items one pass is for, which are sent as `{chunk}`.")
        standard(
            "at_most", \.atMost, .integer(1...ForEach.most),
            "Passes at most. With more the entity fails before it asks for any.")
    } check: { place, source in
        place.check(source)
    }
}

extension ItemSource {
    fileprivate var rows: ItemRows? {
        get { if case .rows(let rows) = origin { rows } else { nil } }
        set { if case .rows = origin, let newValue { origin = .rows(newValue) } }
    }

    fileprivate var columns: [String] {
        get { rows?.columns ?? [] }
        set { rows?.columns = newValue }
    }

    fileprivate var onlyChanged: Bool {
        get { rows?.onlyChanged ?? false }
        set { rows?.onlyChanged = newValue }
    }

    fileprivate var fullEvery: Duration {
        get { rows?.fullEvery ?? ItemRows(entity: "").fullEvery }
        set { rows?.fullEvery = newValue }
    }

    fileprivate var at: Path {
        get { if case .call(let call) = origin { call.at } else { Path(steps: []) } }
        set {
            guard case .call(var call) = origin else { return }
            call.at = newValue
            origin = .call(call)
        }
    }

    fileprivate var alias: String {
        get { name ?? "" }
        set { name = newValue.isEmpty ? nil : newValue }
    }
}

extension Place {
    /// What goes with one origin of items only.
    fileprivate func check(_ source: ItemSource) {
        switch source.origin {
        case .rows(let rows):
            if !has("columns") { reading.add(node, "missing key \"columns\"") }
            if Set(rows.columns).count < rows.columns.count {
                report("columns", "a column appears twice")
            }
            report(ifThere: "as", "a row's items are called as its columns are; leave as out")
            if !rows.onlyChanged {
                report(
                    ifThere: "full_every",
                    "without only every item is asked for; leave full_every out")
            }
            if source.chunk != nil, rows.columns.count > 1 {
                report(ifThere: "chunk", "a chunk is of one column, found \(rows.columns.count)")
            }
            if source.chunk != nil, rows.onlyChanged {
                report(ifThere: "only", "a chunk is asked for as a whole; leave only out")
            }
        case .call(let call):
            if !has("at") { reading.add(node, "missing key \"at\"") }
            if let ranBefore = scope.ranBefore, !ranBefore.contains(call.name) {
                report("call", "call \"\(call.name)\" does not run before this")
            }
        case .values(let values):
            if !has("as") { reading.add(node, "missing key \"as\"") }
            if Set(values).count < values.count { report("values", "a value appears twice") }
            if values.contains("") { report("values", "a value is empty, which is no item") }
            if values.contains(where: { $0.utf8.count > ForEach.valueBytesMax }) {
                report("values", "a value is longer than \(ForEach.valueBytesMax) bytes")
            }
            report(
                ifThere: "chunk",
                "values that are sent together can stand in the request; leave chunk out")
        case .attribute(let name):
            if scope.isTenant {
                report("user", "{user.\(name)} has no value: a job of scope tenant is of no user")
            }
        case .list: break
        }
        if source.rows == nil {
            for key in ["columns", "only", "full_every"] {
                report(ifThere: key, "\(key) goes with rows; leave it out")
            }
        }
        if case .call = source.origin {
        } else {
            report(ifThere: "at", "at goes with call; leave it out")
        }
        if source.chunk != nil, source.name != nil, !has("values") {
            report(ifThere: "as", "a chunk is sent as {chunk}; leave as out")
        }
    }

    /// What two sources leave no room for.
    fileprivate func checkPair(_ sources: [ItemSource]) {
        guard sources.count == 2 else { return }
        for (source, node) in zip(sources, node.elements) where source.chunk != nil {
            reading.add(node["chunk"] ?? node, "a pair is sent as {each.x}; leave chunk out")
        }
        for name in sources[1].names where sources[0].names.contains(name) {
            reading.add(
                node.elements[1],
                "{each.\(name)} is of the first source already; give it another name")
        }
    }
}
