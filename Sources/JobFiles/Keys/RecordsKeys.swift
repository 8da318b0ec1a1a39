import JSON

extension Records {
    static let blank = Records(at: Path(steps: []), key: [], fields: [], keepIf: [])
}

extension Mapping where Model == Records {
    fileprivate static let records = Mapping(
        "records", "Where the records are and what becomes of each.", blank: .blank,
        only: .byPreset(without: "records of a request", with: "records of cloudkit")
    ) {
        required(
            "at", \.at, .path,
            "Where in the body the records are. With several pages it holds `[]`."
        ).unlessPreset()
        required(
            "key", \.key, .filled(.field),
            """
            The fields that tell records apart. Each is `required`, or has a `default` that records without a value \
            take; none is `json`. A record whose key can't be read makes no row, and nothing is deleted by absence \
            after a pass that showed one.
            """)
        required(
            "fields", \.fields, .fields, "The values of a record, by the column that each goes to.")
        usual(
            "secrets", \.secrets,
            .named(\.name, Mapping<BroughtSecret>.secret.form, noun: "secret"),
            """
            The values of a record that are secrets of the user, by the secret's name. They make no columns: each \
            is sealed and stored in the transaction of its page, as `jobrunner user set --secret` would, \
            unless the secret is newer than the record. One that is no line of text, or has more than 16 KiB, is \
            told as a value that can't be read, and the stored one stays. It needs mode `newest_wins` and a timestamp in \
            `write.newer_by`.
            """)
        usual(
            "keep_if", \.keepIf, .list(Mapping<KeepRule>.keepIf.form),
            "What a record must fulfil; all must hold, else the record is counted `filtered`.")
        standard(
            "one_as_list", \.countsOneAsList, .boolean,
            """
            With `true` one object where `at` has `[]` counts as a list of one; without it such a page is \
            `malformed`. For sources that leave the list out around a single record.
            """
        ).only(.withoutPreset).when(\.countsOneAsList)
        usual(
            "absent", \.absentIsEmpty, .only("empty"),
            without: "a page without the list is `malformed`",
            """
            With `empty` a list that is not there, or null, is an empty one, as Google's sources, protobuf's JSON, \
            etcd and Matrix write it. An answer with `error` or `errors` in it stays `malformed`.
            """
        ).only(.withoutPreset)
        optional(
            "rest", \.rest, Mapping<Rest>.rest.form,
            without: "such a list is told, and nothing is deleted by absence",
            """
            How a list inside a record is read on that shows a part of itself. `at` goes through two `[]`. The rest \
            is written with the page that the list begins on, in its transaction; a page and its rests must be \
            read within one run, so that `page.size` is better small. Entities with `secrets` have none.
            """
        ).only(.withoutPreset)
    }
}

extension Form where Value == Records {
    /// Parts of the entity that follow learn its columns.
    static let records = Form(
        type: Mapping<Records>.records.form.type,
        read: { node, reading in
            guard let entity = reading.scope.entity, entity.isKnown,
                var parts = Mapping<Records>.records.readParts(node, reading)
            else { return nil }
            let place = Place(node, reading)
            if let operation = entity.operation, !place.has("at") {
                parts.model.at = operation.recordsPath
            }
            let records = parts.model
            if !parts.wrong.contains("at") { place.checkLists(records, isPaged: entity.isPaged) }
            if let columns = reading.scope.entity?.columns { place.checkKey(columns) }
            reading.scope.entity?.columns?.key = records.key
            if !parts.isReadable { reading.scope.entity?.columns = nil }
            return parts.isReadable ? records : nil
        }, write: Mapping<Records>.records.form.write)
}

extension Place {
    /// What depends on whether `at` leads through lists.
    fileprivate func checkLists(_ records: Records, isPaged: Bool) {
        let at = records.at
        if !at.hasEach {
            if isPaged, has("at") {
                report(
                    "at", "leads to one record, but pages hold many; did you mean \"\(at)[]\"?",
                    nearest: "\(at)[]")
            }
            if records.countsOneAsList {
                report("one_as_list", "\(at) names one record already; leave one_as_list out")
            }
            if records.absentIsEmpty {
                report("absent", "\(at) leads to one record and to no list; leave absent out")
            }
        }
        guard records.rest != nil, let rest = self["rest"] else { return }
        if !records.secrets.isEmpty {
            reading.add(
                rest.node,
                "records that bring secrets are read from their page alone; leave rest out")
        }
        guard let list = at.innerList else {
            return reading.add(
                rest.node,
                "records.at must go through two [], such as data[].lines.data[], found \"\(at)\"; leave rest out"
            )
        }
        if list.steps.count < 2 {
            rest.report(
                ifThere: "after",
                "the list \"\(list)\" lies in its record itself, where nothing says of it that it goes on; "
                    + "expected next_at, or neither")
        }
    }

    fileprivate func checkKey(_ columns: Columns) {
        var key: [String] = []
        let elements = node["key"]?.elements ?? []
        for element in elements {
            guard let name = reading.fieldName(element, names: columns.names) else { continue }
            if key.contains(name) { reading.add(element, "\"\(name)\" appears twice") }
            key.append(name)
            guard let field = columns.field(named: name) else { continue }
            if !field.required, field.defaultValue == nil {
                reading.add(
                    element,
                    "key field \"\(name)\" must be required: true, or have a default for records without it"
                )
            }
            if field.kind == .json {
                reading.add(element, "a key field can't be of type json")
            }
        }
        let fields = columns.fields.filter { key.contains($0.name) }
        if !fields.isEmpty, fields.count == key.count,
            fields.allSatisfy({ !$0.required && $0.defaultValue != nil })
        {
            reading.add(
                elements[0],
                "every field of the key has a default, so that records without them would be one row: make one required: true"
            )
        }
    }
}

extension Mapping where Model == Field {
    fileprivate static let field = Mapping(
        "field", "One value of a record and the column it goes to.",
        blank: Field(
            name: "", at: Path(steps: []), kind: .text, required: false, defaultValue: nil,
            oneOf: nil, form: .plain), oneOf: ["at", "meta"], rules: rules,
        only: .byPreset(
            without: "a field without preset", with: "a cloudkit entity's field")
    ) {
        usual(
            "at", \.at, .onePath, without: "required unless there is `meta`",
            """
            Where in the record the value is. `""` is the whole record, also one that is a text or a number. `parent.x`, where `records.at` \
            goes through several `[]`, is `x` of the record around it.
            """
        ).when { $0.meta == nil }
        optional(
            "meta", \.meta, .words(metaTexts + metaTimes, noun: "value"),
            """
            One of the record's own values, with `cloudkit`. The last two are timestamps, the others \
            texts.
            """
        ).only(.withPreset)
        required("type", \.kind, .word("type"), "What the value must be.")
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
            "What stands in for a missing value. A `required` field has none.")
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

extension Place {
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

    fileprivate static let fields = Form(
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

    /// Says why a name can't be a column of a synced table; nil when it can.
    static func complaint(ofColumn name: String) -> String? {
        if reserved.contains(name) {
            return "\"\(name)\" is a column every synced table has; use another name"
        }
        return system.contains(name)
            ? "\"\(name)\" is a system column of PostgreSQL; use another name" : nil
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

extension Form where Value == String {
    /// Of a field of the entity.
    static let field = text(.name) { $1.fieldName($0, names: $1.scope.entity?.columns?.names) }
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

extension Mapping where Model == BroughtSecret {
    fileprivate static let secret = Mapping(
        "brought_secret", "A value of a record that is a secret of the user.",
        blank: BroughtSecret(name: "", at: Path(steps: []))
    ) {
        required(
            "at", \.at, .innerPath,
            "Where in the record the value is: a text of at most 16 KiB. A record without one brings nothing."
        )
    }
}

extension Mapping where Model == KeepRule {
    fileprivate static let keepIf = Mapping(
        "keep_if", "A record is kept when its field compares so.",
        blank: KeepRule(field: "", comparison: .eq, value: .null),
        oneOf: KeepRule.Comparison.allCases.map(\.rawValue)
    ) {
        required("field", \.field, .field, "The name of a mapped field.")
        compared(.gte, "Kept when the field is this or more. \(ordered)")
        compared(.gt, "Kept when the field is more. \(ordered)")
        compared(.lte, "Kept when the field is this or less. \(ordered)")
        compared(.lt, "Kept when the field is less. \(ordered)")
        compared(.eq, "Kept when the field is this. For everything but `json`.")
        compared(.ne, "Kept when the field is not this. For everything but `json`.")
        dependent(
            KeepRule.Comparison.youngerThan.rawValue, \.self, age.type,
            read: { node, place, rule in
                guard let field = place.field(of: rule) else { return nil }
                guard field.kind == .timestamp else {
                    place.reading.add(
                        node,
                        "younger_than is for a timestamp, \"\(field.name)\" is \(field.kind.rawValue)"
                    )
                    return nil
                }
                return age.read(node, place.reading).map {
                    KeepRule(
                        field: field.name, comparison: .youngerThan, value: .span($0), span: $0)
                }
            }, write: { $0.comparison == .youngerThan ? $0.value : nil },
            """
            Kept when the timestamp lies no longer ago than this, such as `400d`, or is missing. What a `cleanup` of \
            another file deletes from the same table must not come back: a set of files says so.
            """)
        usual(
            "missing", \.keepsMissing, .only("keep"),
            """
            With `keep` a record without the value is kept. Else it is kept by `ne` and `younger_than` alone.
            """)
    }

    private static let age = Form<Duration>.duration(.seconds(1) ... .days(36_500))
    private static let ordered = "For timestamps, durations and numbers."

    private static func compared(
        _ comparison: KeepRule.Comparison, _ meaning: String
    ) -> Key<KeepRule> {
        dependent(
            comparison.rawValue, \.self, .any("value of the field's type"),
            read: { node, place, rule in
                guard let field = place.field(of: rule) else { return nil }
                let isOrdered = [.timestamp, .duration, .int, .double, .decimal]
                    .contains(field.kind)
                let isEquality = comparison == .eq || comparison == .ne
                guard isEquality ? field.kind != .json : isOrdered else {
                    place.reading.add(
                        node,
                        "\(comparison.rawValue) does not fit type \(field.kind.rawValue) of field \"\(field.name)\""
                    )
                    return nil
                }
                return place.reading.literal(node, for: field.kind).map {
                    KeepRule(field: field.name, comparison: comparison, value: $0)
                }
            }, write: { $0.comparison == comparison ? $0.value : nil }, meaning)
    }
}

extension Place {
    fileprivate func field(of rule: KeepRule) -> Field? {
        scope.entity?.columns?.field(named: rule.field)
    }
}

extension Mapping where Model == Rest {
    fileprivate static let rest = Mapping(
        "rest", "How a list inside a record is read on.",
        blank: Rest(urlAt: Path(steps: []), at: Path(steps: [])),
        rules: [.when(.isThere("next_at"), [.forbids(["after"])])]
    ) {
        required(
            "url_at", \.urlAt, .innerPath,
            """
            Where in the element of the outermost list the address of the rest is, such as `lines.url`. It leads to the \
            source's own origin. Without `after` an element that has one has a list which goes on.
            """)
        required(
            "at", \.at, .path,
            "Where in the body of those answers the list is, with one `[]`, such as `data[]`.")
        optional(
            "next_at", \.nextAt, .innerPath, without: "one answer holds the whole rest",
            "Where in those answers the address of the next one is. The last answer has none.")
        optional(
            "after", \.after, Mapping<RestAfter>.after.form,
            """
            How the address is asked again and again, behind the last element that was shown, while the object that \
            holds the list says that it goes on (`has_more` and the like).
            """)
    } check: { place, rest in
        if place.has("next_at") {
            place.report(ifThere: "after", "next_at names each address; leave after out")
        }
        if rest.at.steps.firstIndex(of: .each) != rest.at.steps.count - 1 {
            place.report(
                "at",
                "expected a path to one list that ends with it, such as data[], found \"\(rest.at)\""
            )
        }
    }
}

/// `after` as a file writes it.
private struct RestAfter {
    var query = ""
    var at = Path(steps: [])
}

extension Mapping where Model == RestAfter {
    fileprivate static let after = Mapping(
        "rest_after", "How the rest of a list is asked for behind its last element.",
        blank: RestAfter()
    ) {
        required("query", \.query, .text, "The query parameter, such as `starting_after`.")
        required(
            "at", \.at, .innerPath,
            "Where in the last element its value is, such as `id`.")
    }
}

extension Rest {
    fileprivate var nextAt: Path? {
        get { if case .url(let path)? = next { path } else { nil } }
        set { next = newValue.map { .url($0) } }
    }

    fileprivate var after: RestAfter? {
        get {
            guard case .after(let query, let path)? = next else { return nil }
            return RestAfter(query: query, at: path)
        }
        set { next = newValue.map { .after(query: $0.query, $0.at) } }
    }
}

extension Path {
    /// The way from an element of the outer list to the inner one; nil when the path does not lead to a list inside a
    /// list.
    public var innerList: Path? {
        let lists = steps.indices.filter { steps[$0] == .each }
        guard lists.count == 2, lists[1] - lists[0] > 1 else { return nil }
        return Path(steps: Array(steps[(lists[0] + 1)..<lists[1]]))
    }
}
