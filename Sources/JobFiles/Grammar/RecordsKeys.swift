/// The keys of `records`.
enum RecordsKey: String, KeySet {
    case at, absent, rest, key, fields, secrets
    case keepIf = "keep_if"
    case oneAsList = "one_as_list"

    /// Columns that synced tables have of their own, or a push or a merge adds.
    static let reservedColumns = [
        "user_id", "inserted_at", "synced", "pending_delete", "push_error", "push_pause",
        "sent_hashes", "unread_fields", "hidden_at",
    ]
    /// Columns that every table of PostgreSQL has.
    static let systemColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    static let title = "records"
    static let meaning = "Where the records are and what becomes of each."

    var key: KeyFacts {
        switch self {
        case .at:
            KeyFacts(
                .formed(.path), .requiredWithoutPreset,
                "Where in the body the records are. With several pages it holds `[]`.")
        case .absent:
            KeyFacts(
                .word(["empty"], noun: "word"),
                .optional("a page without the list is `malformed`"),
                "With `empty` a list that is not there, or null, is an empty one, as Google's sources, protobuf's JSON, "
                    + "etcd and Matrix write it. An answer with `error` or `errors` in it stays `malformed`.",
                in: .withoutPreset)
        case .rest:
            KeyFacts(
                .mapping(RestKey.self),
                .optional("such a list is told, and nothing is deleted by absence"),
                "How a list inside a record is read on that shows a part of itself. `at` goes through two `[]`. The rest "
                    + "is written with the page that the list begins on, in its transaction; a page and its rests must be "
                    + "read within one run, so that `page.size` is better small. Entities with `secrets` have none.",
                in: .withoutPreset)
        case .key:
            KeyFacts(
                .filled(.name), .required,
                "The fields that tell records apart. Each is `required`, or has a `default` that records without a value "
                    + "take; none is `json`. A record whose key can't be read makes no row, and nothing is deleted by absence "
                    + "after a pass that showed one.")
        case .fields:
            KeyFacts(
                .named(
                    .mapping(FieldKey.self), by: .name, isFilled: true,
                    except: Self.reservedColumns + Self.systemColumns),
                .required, "The values of a record, by the column that each goes to.")
        case .secrets:
            KeyFacts(
                .named(.mapping(BroughtSecretKey.self), by: .name, isFilled: true), .optional(nil),
                "The values of a record that are secrets of the user, by the secret's name. They make no columns: each "
                    + "is sealed and stored in the transaction of its page, as `jobrunner user set --secret` would, "
                    + "unless the secret is newer than the record. One that is no line of text, or has more than 16 KiB, is "
                    + "told as a value that can't be read, and the stored one stays. It needs mode `newest_wins` and a timestamp in "
                    + "`write.newer_by`.")
        case .keepIf:
            KeyFacts(
                .list(.mapping(KeepRuleKey.self)), .optional(nil),
                "What a record must fulfil; all must hold, else the record is counted `filtered`.")
        case .oneAsList:
            KeyFacts(
                .boolean, .default("false"),
                "With `true` one object where `at` has `[]` counts as a list of one; without it such a page is "
                    + "`malformed`. For sources that leave the list out around a single record.",
                in: .withoutPreset)
        }
    }
}

/// The keys of `rest`.
enum RestKey: String, KeySet {
    case urlAt = "url_at"
    case at
    case nextAt = "next_at"
    case after

    static let title = "rest"
    static let meaning = "How a list inside a record is read on."
    static let rules: [KeyRule] = [.when(.isThere("next_at"), [.forbids(["after"])])]

    var key: KeyFacts {
        switch self {
        case .urlAt:
            KeyFacts(
                .formed(.innerPath), .required,
                "Where in the element of the outermost list the address of the rest is, such as `lines.url`. It leads to the "
                    + "source's own origin. Without `after` an element that has one has a list which goes on."
            )
        case .at:
            KeyFacts(
                .formed(.path), .required,
                "Where in the body of those answers the list is, with one `[]`, such as `data[]`.")
        case .nextAt:
            KeyFacts(
                .formed(.innerPath), .optional("one answer holds the whole rest"),
                "Where in those answers the address of the next one is. The last answer has none.")
        case .after:
            KeyFacts(
                .mapping(RestAfterKey.self), .optional(nil),
                "How the address is asked again and again, behind the last element that was shown, while the object that "
                    + "holds the list says that it goes on (`has_more` and the like).")
        }
    }
}

/// The keys of `after`.
enum RestAfterKey: String, KeySet {
    case query, at

    static let title = "rest_after"
    static let meaning = "How the rest of a list is asked for behind its last element."

    var key: KeyFacts {
        switch self {
        case .query: KeyFacts(.text, .required, "The query parameter, such as `starting_after`.")
        case .at:
            KeyFacts(
                .formed(.innerPath), .required,
                "Where in the last element its value is, such as `id`.")
        }
    }
}

/// The keys of a field.
enum FieldKey: String, KeySet {
    case at, meta, type, format, required
    case fallback = "default"
    case oneOf = "one_of"

    static let title = "field"
    static let meaning = "One value of a record and the column it goes to."
    static let alternatives: [FieldKey] = [.at, .meta]

    static let metaTimes = ["created", "modified"]
    static let metaTexts = ["recordName", "recordType", "recordChangeTag"]

    var key: KeyFacts {
        switch self {
        case .at:
            KeyFacts(
                .formed(.onePath), .optional("required unless there is `meta`"),
                "Where in the record the value is. `\"\"` is the whole record, also one that is a text or a number. `parent.x`, where `records.at` "
                    + "goes through several `[]`, is `x` of the record around it.")
        case .meta:
            KeyFacts(
                .word(Self.metaTexts + Self.metaTimes, noun: "value"), .optional(nil),
                "One of the record's own values, with `cloudkit`. The last two are timestamps, the others "
                    + "texts.", in: .withPreset)
        case .type:
            KeyFacts(.words(of: Field.Kind.self, "type"), .required, "What the value must be.")
        case .format:
            KeyFacts(
                .oneOrMore(.formed(.fieldFormat)), .optional("ISO 8601, or a number"),
                "How the value is written. For a timestamp: `iso8601`, `epoch_s` or `epoch_ms` (a number of "
                    + "seconds or milliseconds), a pattern, or a list of them, which are tried in order. `text` is "
                    + "for an `int`, `double` or `decimal` that is a text, as sources write numbers of 64 bits; `number` "
                    + "for a `bool` that is 1 or 0.",
                in: .withoutPreset)
        case .required:
            KeyFacts(
                .boolean, .default("false"),
                "With `true` a record without the value is counted `skipped_incompatible`.")
        case .fallback:
            KeyFacts(
                .any("value of the type"), .optional(nil),
                "What stands in for a missing value. A `required` field has none.")
        case .oneOf:
            KeyFacts(.filled(.text), .optional(nil), "The permitted values, for type `text`.")
        }
    }

    static let rules: [KeyRule] = [
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

/// The keys of a secret that records bring.
enum BroughtSecretKey: String, KeySet {
    case at

    static let title = "brought_secret"
    static let meaning = "A value of a record that is a secret of the user."

    var key: KeyFacts {
        KeyFacts(
            .formed(.innerPath), .required,
            "Where in the record the value is: a text of at most 16 KiB. A record without one brings nothing."
        )
    }
}

/// The keys of an element of `keep_if`.
enum KeepRuleKey: String, KeySet {
    case field, gte, gt, lte, lt, eq, ne
    case youngerThan = "younger_than"
    case missing

    static let title = "keep_if"
    static let meaning = "A record is kept when its field compares so."
    static let alternatives: [KeepRuleKey] = [.gte, .gt, .lte, .lt, .eq, .ne, .youngerThan]

    /// The comparison that the key stands for; nil when it is none.
    var comparison: KeepRule.Comparison? { KeepRule.Comparison(rawValue: rawValue) }

    var key: KeyFacts {
        let value = ValueType.any("value of the field's type")
        return switch self {
        case .field: KeyFacts(.name, .required, "The name of a mapped field.")
        case .gte:
            KeyFacts(
                value, .optional(nil),
                "Kept when the field is this or more. For timestamps, durations and numbers.")
        case .gt:
            KeyFacts(
                value, .optional(nil),
                "Kept when the field is more. For timestamps, durations and numbers.")
        case .lte:
            KeyFacts(
                value, .optional(nil),
                "Kept when the field is this or less. For timestamps, durations and numbers.")
        case .lt:
            KeyFacts(
                value, .optional(nil),
                "Kept when the field is less. For timestamps, durations and numbers.")
        case .eq:
            KeyFacts(
                value, .optional(nil), "Kept when the field is this. For everything but `json`.")
        case .ne:
            KeyFacts(
                value, .optional(nil), "Kept when the field is not this. For everything but `json`."
            )
        case .missing:
            KeyFacts(
                .word(["keep"], noun: "word"), .optional(nil),
                "With `keep` a record without the value is kept. Else it is kept by `ne` and `younger_than` alone."
            )
        case .youngerThan:
            KeyFacts(
                .duration(.seconds(1) ... .days(36_500)), .optional(nil),
                "Kept when the timestamp lies no longer ago than this, such as `400d`, or is missing. What a `cleanup` of "
                    + "another file deletes from the same table must not come back: a set of files says so."
            )
        }
    }
}
