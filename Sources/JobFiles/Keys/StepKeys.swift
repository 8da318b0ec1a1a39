import JSON

extension Mapping where Model == Condition {
    fileprivate static let condition = Mapping(
        "condition", "A question about what earlier calls answered or what is stored.",
        blank: .neverSucceeded(""),
        oneOf: ["equals", "never_succeeded", "list_changed", "table_empty"]
    ) {
        one(
            "equals", \.self, .comparison, { .equals($0.0, $0.1) },
            { if case .equals(let left, let right) = $0 { (left, right) } else { nil } },
            "It holds when what an earlier call answered is this value.")
        one(
            "never_succeeded", \.self, .call, { .neverSucceeded($0) },
            { if case .neverSucceeded(let call) = $0 { call } else { nil } },
            "The name of a call. It holds when the call never succeeded for this user.")
        one(
            "list_changed", \.self, .list, { .listChanged($0) },
            { if case .listChanged(let list) = $0 { list } else { nil } },
            """
            The name of a list. It holds when the list differs from what the guarded call last sent \
            with success.
            """)
        one(
            "table_empty", \.self, .tableOfFile, { .tableEmpty($0) },
            { if case .tableEmpty(let table) = $0 { table } else { nil } },
            "A table of this file. It holds when the user has no row in it.")
    }
}

extension Form where Value == Condition {
    static let condition = Mapping<Condition>.condition.form
}

extension Form where Value == (Template, JSONValue) {
    fileprivate static let comparison = Form(
        type: .pair(.formed(.placeholderTemplate), .any("any YAML")),
        read: { node, reading in
            guard let pair = reading.list(node) else { return nil }
            guard pair.count == 2 else {
                reading.add(node, "expected two values to compare, found \(pair.count)")
                return nil
            }
            guard let left = reading.template(pair[0], .call), let right = reading.json(pair[1])
            else { return nil }
            if left.placeholders.isEmpty {
                reading.add(pair[0], "expected a placeholder, found \(pair[0].words)")
            }
            return (left, right)
        }, write: { .array([.text($0.0), $0.1]) })
}

extension Form where Value == String {
    /// Of a table that a list or an entity of the file has.
    fileprivate static let tableOfFile = text(.name) { node, reading in
        guard let name = reading.name(node) else { return nil }
        guard let tables = reading.scope.tables, !tables.contains(name) else { return name }
        reading.addUnknown("table", name, known: tables, at: node)
        return nil
    }

    /// Of a table that records are written to; lists have none.
    fileprivate static let tableOfEntity = text(.name) { node, reading in
        guard let name = reading.name(node) else { return nil }
        let tables = reading.scope.entities.map(\.write.table)
        guard tables.isEmpty || tables.contains(name) else {
            reading.addUnknown("table", name, known: tables, at: node)
            return nil
        }
        return name
    }
}

extension Mapping where Model == BeforeStep {
    fileprivate static let before = Mapping(
        "before", "A step before the entities: a call, or a step of the preset.",
        blank: BeforeStep(action: .call(""), ifAny: []), oneOf: ["call", "cloudkit"],
        rules: [
            .when(.isThere("call"), [.forbids(["zone", "remember"])]),
            .when(.isThere("cloudkit"), [.forbids(["if_any"])]),
            .when(.has("cloudkit", ["ensure_zone"]), [.needs(["zone"])]),
            .when(.has("cloudkit", ["check_account"]), [.forbids(["zone", "remember"])]),
        ],
        only: .these { place in
            guard let word = place.node["cloudkit"], !place.has("call") else {
                return ("a step that calls", ["call", "cloudkit", "if_any"])
            }
            let ofZone = word.isScalar("ensure_zone") ? ["zone", "remember"] : []
            return ("step \(word.words)", ["cloudkit"] + ofZone)
        }
    ) {
        one(
            "call", \.action, .call, { .call($0) },
            { if case .call(let call) = $0 { call } else { nil } },
            "The name of the call that is made.")
        usual(
            "if_any", \.ifAny, .filled(.condition), without: "the call is always made",
            "The call is made when any of these conditions holds.")
        one(
            "cloudkit", \.action, .presetStep, { .preset($0) },
            { if case .preset(let step) = $0 { step } else { nil } },
            """
            A step of the preset. `check_account`: the credential must be of the account whose data is \
            stored, else the run ends as `needs_reauth`; it is asked again after each new secret. \
            `ensure_zone`: the zone is looked up, and made when it is missing.
            """)
        optional(
            "zone", \.action.zone, .zone, without: "required with `ensure_zone`",
            "The zone of `ensure_zone`.")
        standard(
            "remember", \.action.isRemembered, .boolean,
            "With `true` the zone of `ensure_zone` is not looked up again after a success."
        ).when { $0.action.zone != nil }
    } check: { place, step in
        guard case .preset(.ensureZone) = step.action else { return }
        if !place.has("zone") { place.reading.add(place.node, "missing key \"zone\"") }
        if let database = place.scope.address?.database, database != .private {
            place.report(
                "cloudkit",
                "zones are made in the private database, not in the \(database.rawValue) one")
        }
    }
}

extension BeforeStep.Action {
    fileprivate var zone: String? {
        get { if case .preset(.ensureZone(let zone, _)) = self { zone } else { nil } }
        set { self = .preset(.ensureZone(newValue ?? "", isRemembered: isRemembered)) }
    }

    fileprivate var isRemembered: Bool {
        get {
            if case .preset(.ensureZone(_, let isRemembered)) = self { isRemembered } else { false }
        }
        set { self = .preset(.ensureZone(zone ?? "", isRemembered: newValue)) }
    }
}

extension Form where Value == PresetStep {
    fileprivate static let presetStep = Form<String>.words(
        ["ensure_zone", "check_account"], noun: "step"
    ).map(
        { word, place -> PresetStep? in
            if !place.scope.isCloudKit {
                place.reading.add(place.node, "cloudkit needs source.preset: cloudkit")
            }
            return word == "check_account" ? .checkAccount : .ensureZone("", isRemembered: false)
        }, back: { $0 == .checkAccount ? "check_account" : "ensure_zone" })
}

extension Form where Value == [BeforeStep] {
    /// A condition may ask what the calls of earlier steps answered.
    static let before = Form(
        type: .list(.keys { Mapping<BeforeStep>.before.kind }),
        read: { node, reading in
            var earlier: [String] = []
            return reading.list(node)?.compactMap { element in
                reading.scope.ranBefore = reading.scope.before == nil ? nil : earlier
                let step = Mapping<BeforeStep>.before.read(element, reading)
                if case .call(let call)? = step?.action { earlier.append(call) }
                return step
            }
        }, write: { .array($0.map(Mapping<BeforeStep>.before.written)) })
}

extension Mapping where Model == AfterStep {
    static let after = Mapping(
        "after", "A step after the entities.",
        blank: AfterStep(action: .call(""), onlyIf: .complete),
        oneOf: ["call", "cleanup", "store_lists", "raise_counts"]
    ) {
        one(
            "call", \.action, .call, { .call($0) },
            { if case .call(let call) = $0 { call } else { nil } },
            "The name of the call that is made.")
        one(
            "cleanup", \.action, Mapping<Cleanup>.cleanup.form,
            { .cleanup(table: $0.table, by: $0.by, olderThan: $0.age) },
            {
                guard case .cleanup(let table, let by, let age) = $0 else { return nil }
                return Cleanup(table: table, by: by, age: age)
            }, "Deletes old rows of the user.")
        one(
            "store_lists", \.action, .ofPreset(Mapping<StoredLists>.storeLists),
            { .storeLists($0) },
            { if case .storeLists(let lists) = $0 { lists } else { nil } },
            "Keeps lists in one record of the user, whenever one of them has changed. Needs the preset."
        )
        one(
            "raise_counts", \.action, .ofPreset(Mapping<RaisedCounts>.raiseCounts),
            { .raiseCounts($0) },
            { if case .raiseCounts(let counts) = $0 { counts } else { nil } },
            "Raises a number in the record of each item of a list by one, once for each user. Needs the preset."
        )
        standard(
            "only_if", \.onlyIf, .word(),
            """
            With `complete` the step is taken when every entity was read to its end; with `changed` \
            only when something was written as well.
            """)
    }
}

/// A clean-up as a file writes it.
private struct Cleanup {
    var table = ""
    var by = ""
    var age = Duration.zero
}

extension Mapping where Model == Cleanup {
    fileprivate static let cleanup = Mapping(
        "cleanup", "Deletes old rows of the user.", blank: Cleanup()
    ) {
        required("table", \.table, .tableOfEntity, "A table that an entity writes.")
        required(
            "older_than", \.age, .duration(.minutes(1) ... .days(36_500)),
            "How old the rows must be.")
        required("by", \.by, .name, "The timestamp column that tells how old a row is.")
    } check: { place, cleanup in
        place.checkColumns("by", of: cleanup.table) { field, node in
            guard field.kind != .timestamp else { return }
            place.reading.add(
                node, "a clean-up goes by a timestamp, \"\(field.name)\" is \(field.kind.rawValue)")
        }
    }
}

extension Mapping where Model == HealthCheck {
    static let health = Mapping(
        "health",
        "Rows of a user that should be one.",
        blank: HealthCheck(table: "", by: [])
    ) {
        required("table", \.table, .tableOfEntity, "A table that an entity writes.")
        required(
            "by", \.by, .filled(.name),
            "The columns of the table that ought to be unique together.")
    } check: { place, health in
        place.checkColumns("by", of: health.table) { _, _ in }
    }
}

extension Place {
    /// Reports names at a key that are no columns of the table, and calls `body` with those that are.
    fileprivate func checkColumns(
        _ key: String, of table: String, _ body: (Field, Node) -> Void
    ) {
        guard let value = node[key],
            let records = scope.entities.first(where: { $0.write.table == table })?.records
        else { return }
        for name in value.elements.isEmpty ? [value] : value.elements {
            guard let text = name.scalarText else { continue }
            guard let field = records.field(named: text) else {
                reading.addUnknown("field", text, known: records.fields.map(\.name), at: name)
                continue
            }
            body(field, name)
        }
    }
}

extension Form {
    /// Only the preset knows what a record is.
    fileprivate static func ofPreset(_ mapping: Mapping<Value>) -> Form {
        Form(
            type: mapping.form.type,
            read: { node, reading in
                if reading.scope.isCloudKit { return mapping.read(node, reading) }
                reading.add(node, "it needs source.preset: cloudkit")
                return nil
            }, write: mapping.form.write)
    }
}

extension Mapping where Model == StoredLists {
    fileprivate static let storeLists = Mapping(
        "store_lists",
        "Keeps lists in one record of the user. Its other fields stay as they are; a list that is empty clears its field.",
        blank: StoredLists(recordType: "", recordName: .blank, fields: [])
    ) {
        required(
            "record_type", \.recordType, .sourceName("record type"), "The type of the record.")
        required(
            "record_name", \.recordName, .template([]),
            "The name of the record, such as `{user.user_id}`.")
        required(
            "lists", \.fields,
            .named(
                \.name,
                Form<String>.list.map({ list, _ in .init(name: "", list: list) }, back: \.list),
                by: .sourceName, noun: "field with its list", isFieldOfRecord),
            "Names of lists, each by the field that holds its items, a list of texts.")
    }
}

extension Mapping where Model == RaisedCounts {
    fileprivate static let raiseCounts = Mapping(
        "raise_counts",
        """
        Raises a number in the record of each item of a list by one, once for each user: not when it is sent twice, and \
        not when an item leaves the list and comes back. No number is ever lowered.
        """, blank: RaisedCounts(list: "", recordType: "", field: "")
    ) {
        required(
            "list", \.list, .list, "The name of the list. Each item is the name of a record.")
        required(
            "record_type", \.recordType, .sourceName("record type"), "The type of the records.")
        required("field", \.field, .sourceName("field"), "The field that holds the number.")
    }
}

@Sendable private func isFieldOfRecord(_ entry: Node.Entry, _ reading: NodeReading) -> Bool {
    reading.isSourceName(entry.key, "field", at: entry.position, entry.value.path)
}
