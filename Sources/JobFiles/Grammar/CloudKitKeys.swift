/// The keys of an entity's `cloudkit`.
enum CloudKitKey: String, KeySet {
    case op

    static let title = "cloudkit"
    static let meaning = "An operation of the preset, which the request is made of."

    var key: KeyFacts {
        switch self {
        case .op:
            KeyFacts(.word(Self.all.map(\.word), noun: "operation"), .required, "What is read.")
        }
    }

    static var variants: Variants? { Variants(key: "op", all: all) }

    private static let all = [
        Variant(
            "records/query", QueryKey.self,
            "Reads the records of one type, in the default zone. It pages by style `token`."),
        Variant(
            "changes/zone", FeedKey.self,
            "Reads the change feed of a custom zone, of database `private` or `shared`. It pages by style "
                + "`sync_token`. Records of other types are counted `filtered`."),
        Variant(
            "core_data", CoreDataKey.self,
            "Reads the records of one entity of Core Data or SwiftData, in the zone of database `private` where it mirrors a store. `at` "
                + "and `record_type` are the app's own names, without `CD_`. It pages by style `sync_token`."
        ),
    ]
}

/// The keys of `records/query`.
enum QueryKey: String, KeySet {
    case type
    case conditions = "where"
    case since, sort

    static let title = "query"
    static let meaning = "A query over records of one type."

    var key: KeyFacts {
        switch self {
        case .type: KeyFacts(.formed(.sourceName), .required, "The record type.")
        case .conditions:
            KeyFacts(
                .filled(.mapping(FilterKey.self)), .optional(nil),
                "What the records must fulfil; all must hold. Each needs a QUERYABLE index. Give every filter a value "
                    + "that exists: `requires` the attribute that it names.")
        case .since:
            KeyFacts(
                .mapping(SinceKey.self), .optional("every pass is full"),
                "What an incremental pass compares with the watermark. It needs a QUERYABLE index of the record type, and a "
                    + "pass for everything, which has no filter, one of `recordName`.")
        case .sort:
            KeyFacts(
                .filled(.mapping(SortKey.self)), .optional("none is asked for"),
                "The order of the records; each needs a SORTABLE index. Where the first is `since`'s, ascending, a pass "
                    + "whose position is refused goes on from the newest watermark that is stored.")
        }
    }
}

/// The keys of `changes/zone`.
enum FeedKey: String, KeySet {
    case zone, owner
    case recordTypes = "record_types"
    case otherTypes = "record_types_except"

    static let title = "feed"
    static let meaning = "The change feed of a custom zone."
    static let alternatives: [FeedKey] = [.recordTypes, .otherTypes]

    var key: KeyFacts {
        switch self {
        case .zone: KeyFacts(.formed(.zone), .required, "The zone.")
        case .owner:
            KeyFacts(
                .formed(.quotedTemplate),
                .optional("required in database `shared`, and only there"),
                "The record name of who shares the zone. Where an attribute holds it, `requires` names that."
            )
        case .recordTypes:
            KeyFacts(
                .filled(.formed(.sourceName)),
                .optional("required unless there is `record_types_except`"),
                "The record types that become rows.")
        case .otherTypes:
            KeyFacts(
                .filled(.formed(.sourceName)), .optional(nil),
                "All types become rows but these: what other entities of the zone read. So a type that nobody "
                    + "knows yet is kept. `meta: recordType` names it, and `at: \"\"` is the whole record."
            )
        }
    }
}

/// The keys of `core_data`.
enum CoreDataKey: String, KeySet {
    case entity

    static let title = "core_data"
    static let meaning = "One entity of Core Data or SwiftData."

    var key: KeyFacts {
        switch self {
        case .entity:
            KeyFacts(.formed(.sourceName), .required, "The entity, as the app's model names it.")
        }
    }
}

/// Keys of a mapping that names what a query compares.
protocol ComparedKey: KeySet {
    static var field: Self { get }
    static var system: Self { get }
}

extension ComparedKey {
    static var alternatives: [Self] { [.field, .system] }
}

/// What a query compares: a field of the record or one of its system fields.
private enum Compared {
    static let field = KeyFacts(
        .formed(.sourceName), .optional(nil), "One of the record's own fields.")

    static func system(_ words: [String]) -> KeyFacts {
        KeyFacts(
            .word(words, noun: "system field"), .optional(nil), "One of the record's system fields."
        )
    }

    /// System fields that can be compared (CloudKit Web Services, `systemFieldName`).
    static let systemNames = [
        "recordName", "createdTimestamp", "modifiedTimestamp", "createdUserRecordName",
        "modifiedUserRecordName",
    ]
    /// Those that are times.
    static let systemTimes = ["createdTimestamp", "modifiedTimestamp"]
}

/// The keys of an element of `where`.
enum FilterKey: String, ComparedKey {
    case field, system, op, value

    /// The comparisons, and CloudKit's word for each.
    static let comparators: KeyValuePairs<String, String> = [
        "=": "EQUALS", "!=": "NOT_EQUALS", "<": "LESS_THAN", "<=": "LESS_THAN_OR_EQUALS",
        ">": "GREATER_THAN", ">=": "GREATER_THAN_OR_EQUALS", "begins_with": "BEGINS_WITH",
    ]

    static let title = "filter"
    static let meaning = "What a record must fulfil."

    var key: KeyFacts {
        switch self {
        case .field: Compared.field
        case .system: Compared.system(Compared.systemNames)
        case .op:
            KeyFacts(
                .word(Self.comparators.map(\.key), noun: "comparison"), .required,
                "How it is compared with the value.")
        case .value:
            KeyFacts(
                .anyOf([.formed(.quotedTemplate), .number(-.infinity ... .infinity)]), .required,
                "What it is compared with: a number, or a text that may hold placeholders.")
        }
    }
}

/// The keys of `since`.
enum SinceKey: String, ComparedKey {
    case field, system, op

    static let title = "since"
    static let meaning = "What an incremental pass compares with the watermark."

    var key: KeyFacts {
        switch self {
        case .field: Compared.field
        case .system: Compared.system(Compared.systemTimes)
        case .op:
            KeyFacts(
                .word([">", ">="], noun: "comparison"), .required,
                "How it is compared with the watermark.")
        }
    }
}

/// The keys of an element of `sort`.
enum SortKey: String, ComparedKey {
    case field, system, order

    static let title = "sort"
    static let meaning = "One order."

    var key: KeyFacts {
        switch self {
        case .field: Compared.field
        case .system: Compared.system(Compared.systemNames)
        case .order:
            KeyFacts(.word(["asc", "desc"], noun: "order"), .default("asc"), "The direction.")
        }
    }
}
