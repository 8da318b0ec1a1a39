/// The keys of an entity.
enum EntityKey: String, KeySet {
    case entity, enabled, request, errors, page, incremental, records, write, recover, cloudkit
    case forEach = "for_each"
    case probe, conditional, push
    case requiresPrevious = "requires_previous"

    /// The keys that `defaults` may hold.
    static let ofDefaults = allCases.filter { $0 != .entity && $0 != .enabled }

    static let title = "entity"
    static let meaning = "One kind of record. What it lacks may stand in `defaults`."
    static let alternatives: [EntityKey] = [.cloudkit, .request]

    var key: KeyFacts {
        switch self {
        case .entity:
            KeyFacts(
                .name, .required, "The name of the entity and its checkpoint, unique in the file.")
        case .enabled:
            KeyFacts(
                .boolean, .default("true"),
                "With `false` the entity is declared and its table kept, but runs leave it alone.")
        case .cloudkit:
            KeyFacts(
                .mapping(CloudKitKey.self), .optional(nil),
                "The operation of the preset, which stands in place of `request`.", in: .withPreset)
        case .request:
            KeyFacts(
                .mapping(RequestKey.self), .optional("required without `cloudkit`"),
                "What is sent for each page.")
        case .errors:
            KeyFacts(
                .filled(.mapping(ErrorsKey.self)),
                .optional(
                    "a status of `request.expect` is success, but for the `errors` of GraphQL"),
                "By what an answer of a good status is known as a failure. What such an answer carries is "
                    + "stored; it ends no pass, moves no position and deletes nothing.",
                in: .withoutPreset)
        case .page:
            KeyFacts(.mapping(PageKey.self), .required, "How a pass goes from page to page.")
        case .incremental:
            KeyFacts(
                .mapping(IncrementalKey.self), .optional("every pass is full"),
                "What makes a pass incremental.")
        case .forEach:
            KeyFacts(
                .mapping(ForEachKey.self), .optional("there is one pass"),
                "Reads one pass for each chunk of a list.", in: .withoutPreset)
        case .probe:
            KeyFacts(
                .mapping(ProbeKey.self), .optional(nil),
                "The small request that tells whether a pass is worth reading.")
        case .conditional:
            KeyFacts(
                .boolean, .default("false"),
                "`ETag` and `Last-Modified` of a pass's first answer are sent back, and 304 ends the next "
                    + "pass. It is for requests by `GET`.")
        case .records: KeyFacts(.mapping(RecordsKey.self), .required, "Where the records are.")
        case .write: KeyFacts(.mapping(WriteKey.self), .required, "Where the records go.")
        case .recover:
            KeyFacts(
                .list(.mapping(RecoverKey.self)), .optional(nil),
                "Declared failures and their cures.")
        case .push:
            KeyFacts(
                .mapping(PushKey.self),
                .optional("records made here stay here, others are not edited"),
                "How local edits reach the source.", in: .withPreset)
        case .requiresPrevious:
            KeyFacts(
                .boolean, .default("false"),
                "With `true` the entity is synced only in a run that has read the one before it to its end."
            )
        }
    }
}

/// The keys of `for_each`.
enum ForEachKey: String, KeySet {
    case list, chunk

    static let title = "for_each"
    static let meaning = "Reads one pass for each chunk of a list."

    var key: KeyFacts {
        switch self {
        case .list: KeyFacts(.name, .required, "The name of the list.")
        case .chunk: KeyFacts(.integer(1...10_000), .required, "How many items one chunk has.")
        }
    }
}

/// Spans that several keys share.
private enum Spans {
    /// How long a source is believed without being read as a whole.
    static let fullEvery = ValueType.duration(.minutes(1) ... .days(365))
}

/// The keys of `probe`.
enum ProbeKey: String, KeySet {
    case request, sort
    case skipIfSame = "skip_if_same"
    case fullEvery = "full_every"

    /// The values that the preset's probe may compare.
    static let presetValues = ["recordName", "recordChangeTag"]

    static let title = "probe"
    static let meaning = "The small request that tells whether a pass is worth reading."

    var key: KeyFacts {
        switch self {
        case .request:
            KeyFacts(
                .mapping(RequestKey.self), .required,
                "The request, as in the entity, without the position and `{since}`.",
                in: .withoutPreset)
        case .sort:
            KeyFacts(
                .filled(.mapping(SortKey.self)), .required,
                "The order whose first record is looked at, among those of `where`.",
                in: .withPreset)
        case .skipIfSame:
            KeyFacts(
                .filled(.formed(.presetPath)), .required,
                "The values that are compared: paths, through `[]` to the first one; with `cloudkit` "
                    + "`recordName` or `recordChangeTag`.",
                withPreset: .filled(.word(Self.presetValues, noun: "value")))
        case .fullEvery:
            KeyFacts(
                Spans.fullEvery, .required,
                "After so long the pass is read whatever the probe says, since it can't see deletions."
            )
        }
    }
}

/// The keys of `incremental`.
enum IncrementalKey: String, KeySet {
    case watermark, overlap, format
    case fullIf = "full_if"
    case fallback
    case fullEvery = "full_every"
    case start, ascending

    static let title = "incremental"
    static let meaning = "What makes a pass incremental."
    static let rules: [KeyRule] = [
        .when(.all([.has("watermark", ["run_start"]), .has("format", ["raw"])]), [.fails])
    ]

    var key: KeyFacts {
        switch self {
        case .watermark:
            KeyFacts(
                .words(of: Incremental.Watermark.self, "watermark"), .required,
                "What a complete pass commits: its start, or the largest `write.newer_by` it has seen."
            )
        case .overlap:
            KeyFacts(
                .anyOf([.duration(.zero ... .days(30)), .integer(1 ... .max)]), .optional("`0s`"),
                "What is taken off the watermark when it is sent: a span of time, or a whole number where the watermark "
                    + "is a number.")
        case .format:
            KeyFacts(
                .words(of: Incremental.Format.self, "format"),
                .optional("`iso8601`, with `cloudkit` `epoch_ms`, the only one there"),
                "How the watermark is written. `raw` is the source's own form and goes with `max_seen` only.",
                withPreset: .word([Incremental.Format.epochMilliseconds.rawValue], noun: "format"))
        case .fullIf:
            KeyFacts(
                .filled(.mapping(ConditionKey.self)), .optional(nil),
                "The pass is a full one when any of these conditions holds. `list_changed` is not among them."
            )
        case .fallback:
            KeyFacts(
                .word(["job_last_success"], noun: "word"), .optional("from the beginning"),
                "Where an entity without a watermark begins.")
        case .fullEvery:
            KeyFacts(
                Spans.fullEvery, .optional("never"),
                "A pass is full when the last full one is so long ago. A sweep needs it.")
        case .start:
            KeyFacts(
                .anyOf([.formed(.timestamp), .integer(.min ... .max)]),
                .optional("a first and a full pass send no `{since}`"),
                "What `{since}` is in a first and a full pass: a time, or a number where the watermark is one. What is "
                    + "older is none of the list's, for a sweep either.")
        case .ascending:
            KeyFacts(
                .boolean, .default("false"),
                "The list comes in the order of its watermark, oldest first. Where the source refuses a position of a "
                    + "pass, the pass goes on from the newest watermark that it has stored. It goes with `max_seen` only.",
                in: .withoutPreset)
        }
    }
}
