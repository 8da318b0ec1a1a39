import JSON

/// An operation as a file writes it: what each has of its own.
private struct WrittenOperation {
    var op = "records/query"
    var query = CloudKitQuery(type: "", since: nil, filters: [], sort: [])
    var zone = ""
    var owner: Template?
    var types = RecordTypes.only([])
    var entity = ""
}

extension Mapping where Model == WrittenOperation {
    fileprivate static let cloudkit = Mapping(
        "cloudkit", "An operation of the preset, which the request is made of.",
        blank: WrittenOperation(),
        choice: Choice(
            name: "op", noun: "operation", meaning: "What is read.", place: \.op,
            variants: operations),
        check: { place, written in
            if !place.scope.isCloudKit {
                place.reading.add(place.node, "cloudkit needs source.preset: cloudkit")
            }
            place.checkDatabase(written)
        })

    private static let operations = [
        word(
            "records/query",
            "Reads the records of one type, in the default zone. It pages by style `token`.",
            title: "query"
        ) {
            required(
                "type", \.query.type, .sourceName("record type"), "The record type.")
            usual(
                "where", \.query.filters, .filled(Mapping<CloudKitQuery.Filter>.filter.form),
                """
                What the records must fulfil; all must hold. Each needs a QUERYABLE index. Give every filter a value \
                that exists: `requires` the attribute that it names.
                """)
            optional(
                "since", \.query.since, Mapping<CloudKitQuery.Since>.since.form,
                without: "every pass is full",
                """
                What an incremental pass compares with the watermark. It needs a QUERYABLE index of the record type, and a \
                pass for everything, which has no filter, one of `recordName`.
                """)
            usual(
                "sort", \.query.sort, .filled(.sort), without: "none is asked for",
                """
                The order of the records; each needs a SORTABLE index. Where the first is `since`'s, ascending, a pass \
                whose position is refused goes on from the newest watermark that is stored.
                """)
        },
        word(
            "changes/zone",
            """
            Reads the change feed of a custom zone, of database `private` or `shared`. It pages by style \
            `sync_token`. Records of other types are counted `filtered`.
            """, oneOf: ["record_types", "record_types_except"], title: "feed"
        ) {
            required("zone", \.zone, .zone, "The zone.")
            optional(
                "owner", \.owner, .owner,
                without: "required in database `shared`, and only there",
                "The record name of who shares the zone. Where an attribute holds it, `requires` names that."
            )
            one(
                "record_types", \.types, .types, { .only($0) },
                { if case .only(let types) = $0 { types } else { nil } },
                without: "required unless there is `record_types_except`",
                "The record types that become rows.")
            one(
                "record_types_except", \.types, .types, { .except($0) },
                { if case .except(let types) = $0 { types } else { nil } },
                """
                All types become rows but these: what other entities of the zone read. So a type that nobody \
                knows yet is kept. `meta: recordType` names it, and `at: ""` is the whole record.
                """)
        },
        word(
            "core_data",
            """
            Reads the records of one entity of Core Data or SwiftData, in the zone of database `private` where it mirrors a store. `at` \
            and `record_type` are the app's own names, without `CD_`. It pages by style `sync_token`.
            """
        ) {
            required(
                "entity", \.entity, .sourceName("entity"),
                "The entity, as the app's model names it.")
        },
    ]
}

extension Form where Value == [String] {
    fileprivate static let types = filled(.sourceName("record type"))
}

extension Form where Value == Template {
    /// A zone that another user shares is found by its owner's name, one's own without.
    fileprivate static let owner = Form(
        type: .formed(.quotedTemplate),
        read: { node, reading in
            if reading.scope.address?.database == .shared { return reading.template(node, .call) }
            reading.add(
                node, "only a zone of database shared has another owner; leave owner out")
            return nil
        }, write: { .text($0) })
}

extension Place {
    /// What an operation asks of the database.
    fileprivate func checkDatabase(_ written: WrittenOperation) {
        let database = scope.address?.database
        switch (written.op, database) {
        case ("changes/zone", .public?):
            report("op", "the public database has no change feed; use records/query")
        case ("changes/zone", .shared?):
            if !has("owner") { reading.add(node, "missing key \"owner\"") }
        case ("core_data", .public?): report("op", "Core Data mirrors a store in database private")
        case ("core_data", .shared?):
            report(
                "op", "Core Data keeps what others share in zones of other names; use changes/zone")
        default: break
        }
    }
}

extension Form where Value == CloudKitOperation {
    /// Parts of the entity that follow learn its operation.
    static let cloudkit = Mapping<WrittenOperation>.cloudkit.form.map(
        { written, place -> CloudKitOperation? in
            let operation: CloudKitOperation =
                switch written.op {
                case "changes/zone":
                    .zoneChanges(
                        zone: written.zone, owner: written.owner, recordTypes: written.types)
                case "core_data": .coreData(entity: written.entity)
                default: .query(written.query)
                }
            place.reading.scope.entity?.operation = operation
            return operation
        },
        back: { operation in
            var written = WrittenOperation(op: operation.name)
            switch operation {
            case .query(let query): written.query = query
            case .zoneChanges(let zone, let owner, let types):
                (written.zone, written.owner, written.types) = (zone, owner, types)
            case .coreData(let entity): written.entity = entity
            }
            return written
        })
}

extension Mapping {
    /// What a query compares: a field of the record or one of its system fields.
    fileprivate static func compared(
        _ place: Member<Model, CloudKitQuery.Name>, _ system: [String] = systemFields
    ) -> [Key<Model>] {
        [
            one(
                "field", place, .sourceName("field"), { .field($0) },
                { if case .field(let name) = $0 { name } else { nil } },
                "One of the record's own fields."),
            one(
                "system", place, .words(system, noun: "system field"), { .system($0) },
                { if case .system(let name) = $0 { name } else { nil } },
                "One of the record's system fields."),
        ]
    }
}

/// System fields that can be compared (CloudKit Web Services, `systemFieldName`).
private let systemFields =
    ["recordName"] + systemTimes + ["createdUserRecordName", "modifiedUserRecordName"]
/// Those that are times.
private let systemTimes = ["createdTimestamp", "modifiedTimestamp"]

extension Form where Value == String {
    /// A comparison; the value is CloudKit's word for it.
    fileprivate static func comparator(_ words: [String]) -> Form {
        Form.words(words, noun: "comparison").map(
            { word, _ in comparators.first { $0.key == word }?.value },
            back: { comparator in comparators.first { $0.value == comparator }?.key ?? comparator })
    }

    fileprivate static let comparators: KeyValuePairs<String, String> = [
        "=": "EQUALS", "!=": "NOT_EQUALS", "<": "LESS_THAN", "<=": "LESS_THAN_OR_EQUALS",
        ">": "GREATER_THAN", ">=": "GREATER_THAN_OR_EQUALS", "begins_with": "BEGINS_WITH",
    ]
}

extension Mapping where Model == CloudKitQuery.Filter {
    fileprivate static let filter = Mapping(
        "filter", "What a record must fulfil.",
        blank: .init(name: .field(""), comparator: "", value: .literal(.null)),
        oneOf: ["field", "system"]
    ) {
        compared(\.name)
        required(
            "op", \.comparator, .comparator(Form<String>.comparators.map(\.key)),
            "How it is compared with the value.")
        required(
            "value", \.value, .filterValue,
            "What it is compared with: a number, or a text that may hold placeholders.")
    }
}

extension Form where Value == BodyTemplate {
    fileprivate static let filterValue = Form(
        type: .anyOf([.formed(.quotedTemplate), .number(-.infinity ... .infinity)]),
        read: { node, reading in
            guard let json = reading.json(node) else { return nil }
            switch json {
            case .string: return reading.template(node, .call).map { .text($0) }
            case .number: return .literal(json)
            case .bool:
                reading.add(node, "CloudKit holds yes and no as numbers; write 1 or 0")
            case .array, .object, .null:
                reading.add(node, "expected a text or a number, found \(node.words)")
            }
            return nil
        }, write: { $0.written })
}

extension Mapping where Model == CloudKitQuery.Since {
    fileprivate static let since = Mapping(
        "since", "What an incremental pass compares with the watermark.",
        blank: .init(name: .field(""), comparator: ""), oneOf: ["field", "system"]
    ) {
        compared(\.name, systemTimes)
        required(
            "op", \.comparator, .comparator([">", ">="]),
            "How it is compared with the watermark.")
    }
}

extension Mapping where Model == CloudKitQuery.Sort {
    fileprivate static let sort = Mapping(
        "sort", "One order.", blank: .init(name: .field(""), isAscending: true),
        oneOf: ["field", "system"]
    ) {
        compared(\.name)
        standard(
            "order", \.isAscending,
            Form<String>.words(["asc", "desc"], noun: "order").map(
                { word, _ in word == "asc" }, back: { $0 ? "asc" : "desc" }), "The direction.")
    }
}

extension Form where Value == CloudKitQuery.Sort {
    static let sort = Mapping<CloudKitQuery.Sort>.sort.form
}
