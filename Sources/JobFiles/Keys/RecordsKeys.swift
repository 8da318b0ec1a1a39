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
            "key", \.told, .key,
            """
            The fields that tell records apart, or `one` or `content` for records that have none. With `one` there is one \
            record, such as an account: `at` has no `[]`. With `content` records are the same one when all mapped fields \
            are, so that a record which changes is a new row; what stood before goes by `replace_all` or a sweep. Both \
            make a column `row_key`. Each is `required`, or has a `default` that records without a value \
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
        standard(
            "map_as_list", \.countsMapAsList, .boolean,
            """
            With `true` the object where `at` first has `[]` counts as a list of its members, each a record \
            `{ key, value }`: `at: key` is the member's name, and `at: value.x` is in what it holds.
            """
        ).only(.withoutPreset).when(\.countsMapAsList)
        standard(
            "lines", \.areLines, .boolean,
            """
            With `true` each line of the body is a JSON value of its own, as exports write it (NDJSON, JSON lines): the \
            body is the list of them, so that `at` begins with `[]`, and an empty body is an empty list.
            """
        ).only(.withoutPreset).when(\.areLines)
        standard(
            "values_as_list", \.countsValuesAsList, .boolean,
            """
            With `true` an object wherever `at` has `[]` counts as a list of what its members hold, and their names are \
            lost; a list stays one. For sources that write one where they have few, and the other where they have many.
            """
        ).only(.withoutPreset).when(\.countsValuesAsList)
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
            if let columns = reading.scope.entity?.columns {
                records.keyless == nil ? place.checkKey(columns) : place.check(records, columns)
            }
            reading.scope.entity?.columns?.key =
                records.keyless == nil ? records.key : records.itemColumns + [Records.rowKey]
            if !parts.isReadable { reading.scope.entity?.columns = nil }
            return parts.isReadable ? records : nil
        }, write: Mapping<Records>.records.form.write)
}

extension Records {
    /// The key as a file writes it.
    fileprivate enum Told: Sendable {
        case fields([String])
        case keyless(Keyless)
    }

    fileprivate var told: Told {
        get { keyless.map { .keyless($0) } ?? .fields(key) }
        set {
            switch newValue {
            case .fields(let names): key = names
            case .keyless(let sort): keyless = sort
            }
        }
    }
}

extension Form where Value == Records.Told {
    private static let words = Form<Records.Keyless>.word("key")
    private static let names = Form<[String]>.filled(.field)

    fileprivate static let key = Form(
        type: .anyOf([names.type, words.type]),
        read: { node, reading in
            guard case .scalar = node.content else {
                return names.read(node, reading).map { .fields($0) }
            }
            return words.read(node, reading).map { .keyless($0) }
        },
        write: { told in
            switch told {
            case .fields(let fields): names.write(fields)
            case .keyless(let sort): words.write(sort)
            }
        })
}

extension Place {
    /// A page whose list is an object is read in another form than it came.
    private func checkMap(_ records: Records) {
        if records.countsOneAsList {
            report("map_as_list", "an object is either one record or a list; leave one_as_list out")
        }
        if !records.secrets.isEmpty {
            report("map_as_list", "records that bring secrets are elements of a list")
        }
        if records.rest != nil {
            report("map_as_list", "the rest of an inner list is read from a list of records")
        }
    }

    /// A body of lines is a list, and is read as a whole.
    private func checkLines(_ records: Records) {
        if records.at.steps.first != .each {
            report("at", "the lines of a body are a list; expected a path such as []")
        }
        if !records.secrets.isEmpty {
            report("lines", "records that bring secrets are elements of a list")
        }
        if records.rest != nil {
            report("lines", "the rest of an inner list is read from one JSON value")
        }
    }

    /// What depends on whether `at` leads through lists.
    fileprivate func checkLists(_ records: Records, isPaged: Bool) {
        let at = records.at
        if records.areLines { checkLines(records) }
        if !at.hasEach {
            if isPaged, has("at") {
                report(
                    "at", "leads to one record, but pages hold many; did you mean \"\(at)[]\"?",
                    nearest: "\(at)[]")
            }
            if records.countsOneAsList {
                report("one_as_list", "\(at) names one record already; leave one_as_list out")
            }
            if records.countsMapAsList {
                report("map_as_list", "\(at) names one record already; leave map_as_list out")
            }
            if records.countsValuesAsList {
                report("values_as_list", "\(at) names one record already; leave values_as_list out")
            }
            if records.absentIsEmpty {
                report("absent", "\(at) leads to one record and to no list; leave absent out")
            }
        }
        if records.countsMapAsList { checkMap(records) }
        if records.countsValuesAsList, records.countsOneAsList || records.countsMapAsList {
            report("values_as_list", "an object is read in one way; leave the other key out")
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

    /// What records without a key of their own must be.
    fileprivate func check(_ records: Records, _ columns: Columns) {
        if scope.isPreset {
            report("key", "records of cloudkit have names; expected key: [record_name]")
        }
        if records.keyless == .one, records.at.hasEach {
            report("key", "\(records.at) leads to many records; expected key: content, or fields")
        }
        if records.keyless == .content, records.fields.allSatisfy({ $0.places.isEmpty }) {
            report("fields", "no field stands in a record, so that all records would be one row")
        }
        if columns.names.contains(Records.rowKey) {
            self["fields"]?.report(
                Records.rowKey, "\"row_key\" tells these records apart; use another name")
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
        if !fields.isEmpty, fields.count == key.count, fields.allSatisfy(\.isOfItem),
            scope.entity?.isPaged == true || node["at"]?.scalarText?.contains("[]") == true
        {
            reading.add(
                elements[0],
                "every record of an item would be one row: add a field of the record to the key")
        }
        if !fields.isEmpty, fields.count == key.count,
            fields.allSatisfy({ $0.made == .constant || !$0.required && $0.defaultValue != nil })
        {
            reading.add(
                elements[0],
                "every field of the key has a default, so that records without them would be one row: make one required: true"
            )
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
