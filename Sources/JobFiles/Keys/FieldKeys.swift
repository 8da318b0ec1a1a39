import JSON

extension Mapping where Model == Field {
    fileprivate static let field = Mapping(
        "field", "One value of a record and the column it goes to.",
        blank: Field(
            name: "", at: Path(steps: []), kind: .text, required: false, defaultValue: nil,
            oneOf: nil, form: .plain), oneOf: ["at", "meta", "value", "join", "hash", "each"],
        rules: rules,
        only: .byPreset(
            without: "a field without preset", with: "a cloudkit entity's field")
    ) {
        usual(
            "at", \.paths, .places,
            without: "required unless another key says what it is",
            """
            Where in the record the value is; of several places the first one with a value that is not null counts. `""` is the whole record, also one that is a text or a number. `parent.x`, where `records.at` \
            goes through several `[]`, is `x` of the record around it.
            """
        ).when { $0.meta == nil && $0.made == nil }
        optional(
            "meta", \.meta, .words(metaTexts + metaTimes, noun: "value"),
            """
            One of the record's own values, with `cloudkit`. The last two are timestamps, the others \
            texts.
            """
        ).only(.withPreset)
        required("type", \.kind, .word("type"), "What the value must be.")
        dependent(
            "value", \.constant, .any("value of the type"),
            read: { node, place, _ in place.kind.flatMap { place.reading.literal(node, for: $0) } },
            write: { $0 }, "The value of every record, which says it nowhere."
        ).only(.withoutPreset)
        optional(
            "join", \.join, Mapping<Joined>.join.form,
            "Makes one text of several values. It is null where one of them is missing."
        ).only(.withoutPreset)
        optional(
            "hash", \.hash, .filled(.onePath),
            "Places whose values make one text: SHA-256 in hexadecimal digits. What is missing counts as null."
        ).only(.withoutPreset)
        optional(
            "each", \.item, .name,
            "The value of the item of `for_each` that the pass is for, by the name that `{each.x}` has."
        ).only(.withoutPreset)
        dependent(
            "format", \.format, .oneOrMore(.formed(.fieldFormat)),
            read: { node, place, _ in place.reading.format(node, kind: place.kind) },
            write: { format in
                if !format.times.isEmpty { return .texts(format.times.map(\.text)) }
                return [.plain, .cloudkit].contains(format.form)
                    ? nil : .string(format.form.rawValue)
            }, without: "ISO 8601, or a number",
            """
            How the value is written. For a timestamp: `iso8601`, `epoch_s` or `epoch_ms` (a number of \
            seconds or milliseconds), a pattern, or a list of them, which are tried in order. `text` is \
            for an `int`, `double` or `decimal` that is a text, as sources write numbers of 64 bits; `number` \
            for a `bool` that is 1 or 0.
            """
        ).only(.withoutPreset)
        standard(
            "required", \.required, .boolean,
            "With `true` a record without the value is counted `skipped_incompatible`.")
        dependent(
            "default", \.defaultValue, .any("value of the type"),
            read: { node, place, _ in place.kind.flatMap { place.reading.literal(node, for: $0) } },
            write: { $0 },
            "What stands in for a missing value. A `required` field has none."
        ).when { $0.made == nil }
        dependent(
            "one_of", \.oneOf, .filled(.text),
            read: { node, place, _ in
                if let kind = place.kind, kind != .text {
                    place.reading.add(node, "one_of is for type text, not \(kind.rawValue)")
                    return nil
                }
                let texts = Form<[String]>.filled(.text).read(node, place.reading)
                if let texts, Set(texts).count < texts.count {
                    place.reading.add(node, "a value appears twice")
                }
                return texts
            }, write: { $0.map { .texts($0) } }, "The permitted values, for type `text`.")
    } check: { place, field in
        if field.required {
            place.report(
                ifThere: "default",
                "a required field has no default; a missing value skips the record")
        }
        if let texts = field.oneOf, let text = field.defaultValue?.string, !texts.contains(text),
            let node = place.node["default"]
        {
            place.reading.addUnknown("value", text, known: texts, at: node)
        }
        if place.scope.isPreset, field.kind == .decimal {
            place.report("type", "CloudKit has no decimals; expected int or double")
        }
        if let made = field.made { place.check(field, made) }
        if field.item != nil { field.required = true }
        guard let meta = field.meta else { return }
        field.at = CloudKitWire.systemPath(meta)
        let wanted: Field.Kind = metaTimes.contains(meta) ? .timestamp : .text
        if field.kind != wanted {
            place.report(
                "type", "meta \"\(meta)\" is a \(wanted.rawValue), not \(field.kind.rawValue)")
        }
        for key in ["default", "one_of"] {
            place.report(ifThere: key, "a system value has no \(key)")
        }
    }

    private static let metaTimes = ["created", "modified"]
    private static let metaTexts = ["recordName", "recordType", "recordChangeTag"]

    private static let rules: [KeyRule] = [
        .when(.has("required", ["true"]), [.forbids(["default"])]),
        .when(.not(.has("type", ["text"])), [.forbids(["one_of"])]),
        .when(
            .has("type", ["timestamp"]),
            [.narrows("format", .oneOrMore(.formed(.timeFormat)))]),
        .when(
            .has("type", ["int", "double", "decimal"]),
            [.narrows("format", .word(["text"], noun: ""))]),
        .when(.has("type", ["bool"]), [.narrows("format", .word(["number"], noun: ""))]),
        .when(
            .not(.has("type", ["timestamp", "int", "double", "decimal", "bool"])),
            [.forbids(["format"])]),
        .when(.has("meta", metaTimes), [.narrows("type", .word(["timestamp"], noun: ""))]),
        .when(.has("meta", metaTexts), [.narrows("type", .word(["text"], noun: ""))]),
        .when(.isThere("meta"), [.forbids(["default", "one_of"])]),
        .when(.isThere("each"), [.forbids(["default", "one_of", "format"])]),
        .when(.has("type", ["int"]), [.narrows("default", .integer(.min ... .max))]),
        .when(
            .has("type", ["double", "decimal", "duration"]),
            [.narrows("default", .number(-.infinity ... .infinity))]),
        .when(.has("type", ["bool"]), [.narrows("default", .boolean)]),
        .when(.has("type", ["url"]), [.narrows("default", .formed(.httpURL))]),
        .when(.has("type", ["timestamp"]), [.narrows("default", .formed(.timestamp))]),
    ]
}

extension Field {
    fileprivate var format: (form: Form, times: [TimeFormat]) {
        get { (form, times) }
        set { (form, times) = newValue }
    }
}

/// `join` as a file writes it.
private struct Joined {
    var of: [Path] = []
    var with = ""
}

extension Mapping where Model == Joined {
    fileprivate static let join = Mapping(
        "join", "Makes one text of several values.", blank: Joined()
    ) {
        required("of", \.of, .filled(.onePath), "Where the values are: texts or numbers.")
        usual("with", \.with, .text, without: "nothing", "What stands between two of them.")
            .when { !$0.with.isEmpty }
    }
}

extension Field {
    fileprivate var paths: [Path] {
        get { [at] + others }
        set {
            at = newValue.first ?? Path(steps: [])
            others = Array(newValue.dropFirst())
        }
    }

    fileprivate var constant: JSONValue? {
        get { made == .constant ? defaultValue : nil }
        set { (made, defaultValue) = (.constant, newValue) }
    }

    fileprivate var join: Joined? {
        get {
            guard case .joined(let paths, let text)? = made else { return nil }
            return Joined(of: paths, with: text)
        }
        set { made = newValue.map { .joined($0.of, with: $0.with) } }
    }

    fileprivate var item: String? {
        get { if case .item(let name)? = made { name } else { nil } }
        set { made = newValue.map { .item($0) } }
    }

    fileprivate var hash: [Path]? {
        get { if case .hashed(let paths)? = made { paths } else { nil } }
        set { made = newValue.map { .hashed($0) } }
    }
}

extension Place {
    /// What a value that is made leaves no room for.
    fileprivate func check(_ field: Field, _ made: Field.Made) {
        for key in ["format", "one_of"] {
            report(ifThere: key, "a value that is made has no \(key) of its own")
        }
        switch made {
        case .constant:
            report(ifThere: "default", "value stands in every record; leave default out")
            return
        case .item:
            report(ifThere: "default", "every pass has an item; leave default out")
            if field.kind == .json { report("type", "an item is no json") }
            return
        case .joined, .hashed: break
        }
        if field.kind != .text {
            report("type", "join and hash make a text, not \(field.kind.rawValue)")
        }
    }

    /// The type of the field; nil where it is missing or wrong.
    fileprivate var kind: Field.Kind? {
        node["type"]?.scalarText.flatMap { Field.Kind(rawValue: $0) }
    }
}

extension Form where Value == [Field] {
    /// Columns that synced tables have of their own, or a push or a merge adds.
    private static let reserved = [
        "user_id", "inserted_at", "synced", "pending_delete", "push_error", "push_pause",
        "sent_hashes", "unread_fields", "hidden_at",
    ]
    /// Columns that every table of PostgreSQL has.
    private static let system = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    private static let byColumn = Form.named(
        \.name, Mapping<Field>.field.form, noun: "field", except: reserved + system, isColumn)

    static let fields = Form(
        type: byColumn.type,
        read: { node, reading in
            guard let own = byColumn.read(node, reading), let entity = reading.scope.entity else {
                return nil
            }
            Place(node, reading).checkMetas(own)
            let fields = own + Place(node, reading).systemFields(entity)
            let mapped = node.keys ?? []
            reading.scope.entity?.columns = Columns(
                names: mapped + fields.map(\.name).filter { !mapped.contains($0) }, fields: fields)
            return fields
        }, write: byColumn.write)

    @Sendable private static func isColumn(_ entry: Node.Entry, _ reading: NodeReading) -> Bool {
        reading.isColumn(entry.key, at: entry.position, entry.value.path)
    }

    /// What no column of a synced table may be called.
    fileprivate static var taken: [String] { reserved + system }

    /// Says why a name can't be a column of a synced table; nil when it can.
    static func complaint(ofColumn name: String) -> String? {
        if reserved.contains(name) {
            return "\"\(name)\" is a column every synced table has; use another name"
        }
        return system.contains(name)
            ? "\"\(name)\" is a system column of PostgreSQL; use another name" : nil
    }
}

extension Place {
    fileprivate func checkMetas(_ fields: [Field]) {
        var metas: Set<String> = []
        for field in fields {
            guard let meta = field.meta, !metas.insert(meta).inserted else { continue }
            self[field.name]?.report("meta", "meta \"\(meta)\" appears twice")
        }
    }

    /// The system values every CloudKit entity has a column of, unless the file gives them another
    /// name.
    fileprivate func systemFields(_ entity: EntityScope) -> [Field] {
        guard let operation = entity.operation else { return [] }
        var wanted: [(name: String, meta: String, kind: Field.Kind)] = []
        if operation.feed != nil || entity.node["push"] != nil {
            wanted = [
                ("record_name", "recordName", .text), ("change_tag", "recordChangeTag", .text),
            ]
        }
        wanted.append(("modified_at", "modified", .timestamp))
        let names = node.keys ?? []
        return wanted.compactMap { column in
            if names.contains(where: { node[$0]?["meta"]?.isScalar(column.meta) == true }) {
                return nil
            }
            if names.contains(column.name) {
                // A record's own time of change may stand in for the server's.
                if column.meta != "modified" {
                    report(
                        column.name,
                        "\"\(column.name)\" holds meta: \(column.meta) here; rename this")
                }
                return nil
            }
            return Field(
                name: column.name, at: CloudKitWire.systemPath(column.meta), kind: column.kind,
                required: column.meta == "recordName", defaultValue: nil, oneOf: nil,
                form: .plain, meta: column.meta)
        }
    }
}

extension NodeReading {
    /// Reports a name that can't be a column of a synced table.
    func isColumn(_ name: String, at position: Position, _ path: String) -> Bool {
        guard isName(name, at: position, path) else { return false }
        guard let complaint = Form<[Field]>.complaint(ofColumn: name) else { return true }
        add(position, path, complaint)
        return false
    }

    /// The name of a mapped field.
    func fieldName(_ node: Node, names: [String]?) -> String? {
        guard let name = text(node) else { return nil }
        guard let names, !names.contains(name) else { return name }
        addUnknown("field", name, known: names, at: node)
        return nil
    }
}

extension Field {
    /// Names that no field may have, since every table has columns of them.
    public static var takenNames: [String] { columnsOfTables }
}

private let columnsOfTables = Form<[Field]>.taken

extension Form where Value == String {
    /// Of a field of the entity.
    static let field = text(.name) { $1.fieldName($0, names: $1.scope.entity?.columns?.names) }
}

extension Form where Value == [Path] {
    /// One place, or several of which the first with a value counts.
    fileprivate static let places = Form(
        type: .oneOrMore(Form<Path>.onePath.type), read: oneOrMore(.onePath).read,
        write: { $0.count == 1 ? .text($0[0]) : .array($0.map { .text($0) }) })
}
