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
        usual(
            "errors", \.errors, .filled(Mapping<FailureSign>.errors.form),
            without: "a status of `request.expect` is success, but for the `errors` of GraphQL",
            """
            By what an answer of a good status is known as a failure. What such an answer carries is \
            stored; it ends no pass, moves no position and deletes nothing.
            """
        ).only(.withoutPreset)
        optional(
            "for_each", \.forEach, Mapping<ForEach>.forEach.form, without: "there is one pass",
            "Reads one pass for each chunk of a list."
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
            pass. It is for requests by `GET`.
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

/// What the parts of an entity learn of each other while it is read.
struct EntityScope {
    let node: Node
    /// Its request is made of a preset's operation.
    let isOfPreset: Bool
    /// Nil without one, and where it could not be read.
    var operation: CloudKitOperation?
    /// The placeholders of its request; nil where they can't be known or are the preset's.
    var uses: [PlaceholderUse]?
    /// Several pages hold its records.
    var isPaged = false
    /// Nil until its records are read.
    var columns: Columns?

    /// Nothing about it depends on an operation that could not be read.
    var isKnown: Bool { !isOfPreset || operation != nil }
}

/// The columns of an entity, for the parts that name them.
struct Columns {
    /// Also of those that are malformed, so that nobody calls them unknown.
    var names: [String]
    /// Those that could be read.
    var fields: [Field]
    /// The names of the key.
    var key: [String] = []

    func field(named name: String) -> Field? { fields.first { $0.name == name } }
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
                return reading.entity(element.withDefaults(reading.scope.defaults))
            }
            reading.scope.entities = entities
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

extension Node {
    /// An entity that names its own page style takes nothing from the page of the defaults, whose
    /// keys belong to another style.
    func withDefaults(_ defaults: Node?) -> Node {
        guard var defaults else { return self }
        if self["page"]?["style"] != nil, case .mapping(let entries) = defaults.content {
            defaults.content = .mapping(entries.filter { $0.key != "page" })
        }
        return merged(over: defaults)
    }
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
            let isChunked =
                !reading.scope.isCloudKit && reading.scope.entity?.node["for_each"] != nil
            let mapping = isChunked ? Mapping<Request>.ofChunk : .ofEntity
            let (request, uses) = reading.collectingUses { mapping.read(node, reading) }
            let isAsked = request != nil && reading.scope.entity?.isOfPreset == false
            if isAsked { reading.scope.entity?.uses = uses }
            return request
        }, write: Mapping<Request>.ofEntity.form.write)
}

extension Mapping where Model == FailureSign {
    fileprivate static let errors = Mapping(
        "errors", "A sign by which an answer of a good status is known as a failure.",
        blank: FailureSign(at: Path(steps: []))
    ) {
        required(
            "at", \.at, .innerPath,
            """
            Where in the body the sign stands. Without `must_be` it is a failure when a value is there \
            that says something: not null, `false`, 0 or empty.
            """)
        optional(
            "must_be", \.mustBe, .mustBe,
            "What must stand there. Anything else is a failure, and so is nothing.")
        optional(
            "wait_at", \.waitAt, .innerPath,
            """
            Where the source says how many seconds it wants to be left alone. With such a wait the run \
            is put off and counts no failure.
            """)
        optional(
            "message_at", \.messageAt, .innerPath, "Where the source says in words what is wrong.")
    }
}

extension Form where Value == [JSONValue] {
    fileprivate static let mustBe = Form(
        type: .any("a value or a list of values"),
        read: { node, reading in
            guard case .sequence = node.content else {
                return reading.json(node).map { [$0] }
            }
            return reading.filledList(node)?.compactMap { reading.json($0) }
        }, write: { .array($0) })
}

extension Mapping where Model == ForEach {
    static let forEach = Mapping(
        "for_each", "Reads one pass for each chunk of a list.", blank: ForEach(list: "", chunk: 0)
    ) {
        required("list", \.list, .list, "The name of the list.")
        required("chunk", \.chunk, .integer(1...10_000), "How many items one chunk has.")
    }
}

/// How long a source is believed without being read as a whole.
private let fullEvery = Form<Duration>.duration(.minutes(1) ... .days(365))

extension Mapping where Model == Probe {
    fileprivate static let probe = Mapping(
        "probe", "The small request that tells whether a pass is worth reading.",
        blank: Probe(request: .blank, skipIfSame: [], fullEvery: .zero),
        only: .byPreset(without: "a probe without cloudkit", with: "a probe with cloudkit")
    ) {
        required(
            "request", \.request, Mapping<Request>.ofProbe.form,
            "The request, as in the entity, without the position and `{since}`."
        ).only(.withoutPreset).when(\.sort.isEmpty)
        required(
            "sort", \.sort, .filled(.sort),
            "The order whose first record is looked at, among those of `where`."
        ).only(.withPreset).when { !$0.sort.isEmpty }
        required(
            "skip_if_same", \.skipIfSame, .filled(.byPreset(.listPath, with: .presetValue)),
            """
            The values that are compared: paths, through `[]` to the first one; with `cloudkit` \
            `recordName` or `recordChangeTag`.
            """)
        required(
            "full_every", \.fullEvery, JobFiles.fullEvery,
            "After so long the pass is read whatever the probe says, since it can't see deletions."
        )
    }
}

extension Form where Value == Probe {
    fileprivate static let probe = Form(
        type: Mapping<Probe>.probe.form.type,
        read: { node, reading in
            guard let entity = reading.scope.entity, entity.isKnown else { return nil }
            if entity.operation?.feed != nil {
                reading.add(
                    node, "a change feed tells by itself that nothing changed; leave probe out")
                return nil
            }
            return reading.collectingUses { Mapping<Probe>.probe.read(node, reading) }.0
        }, write: Mapping<Probe>.probe.form.write)
}

extension Form where Value == Path {
    /// A system value of a record, as a preset's probe compares it.
    fileprivate static let presetValue = Form<String>.words(
        ["recordName", "recordChangeTag"], noun: "value"
    ).map({ word, _ in Path(steps: [.member(word)]) }, back: \.description)
}

extension Mapping where Model == Incremental {
    fileprivate static let incremental = Mapping(
        "incremental", "What makes a pass incremental.",
        blank: Incremental(
            watermark: .runStart, overlap: .zero, format: .iso8601, fullIf: [],
            fallsBackToJob: false),
        rules: [
            .when(.all([.has("watermark", ["run_start"]), .has("format", ["raw"])]), [.fails])
        ]
    ) {
        required(
            "watermark", \.watermark, .word("watermark"),
            "What a complete pass commits: its start, or the largest `write.newer_by` it has seen.")
        usual(
            "overlap", \.spanOrCount, .overlap, without: "`0s`",
            """
            What is taken off the watermark when it is sent: a span of time, or a whole number where the watermark \
            is a number.
            """)
        usual(
            "format", \.format, .format,
            without: "`iso8601`, with `cloudkit` `epoch_ms`, the only one there",
            "How the watermark is written. `raw` is the source's own form and goes with `max_seen` only."
        )
        usual(
            "full_if", \.fullIf, .filled(.fullCondition),
            "The pass is a full one when any of these conditions holds. `list_changed` is not among them."
        )
        usual(
            "fallback", \.fallsBackToJob, .only("job_last_success"), without: "from the beginning",
            "Where an entity without a watermark begins.")
        optional(
            "full_every", \.fullEvery, JobFiles.fullEvery, without: "never",
            "A pass is full when the last full one is so long ago. A sweep needs it.")
        optional(
            "start", \.start, .firstWatermark,
            without: "a first and a full pass send no `{since}`",
            """
            What `{since}` is in a first and a full pass: a time, or a number where the watermark is one. What is \
            older is none of the list's, for a sweep either.
            """)
        standard(
            "ascending", \.isAscending, .boolean,
            """
            The list comes in the order of its watermark, oldest first. Where the source refuses a position of a \
            pass, the pass goes on from the newest watermark that it has stored. It goes with `max_seen` only.
            """
        ).only(.withoutPreset).when(\.isAscending)
    } check: { place, incremental in
        if incremental.watermark == .runStart, incremental.format == .raw {
            place.report(
                "format", "a run's start has no raw form; use iso8601, epoch_s or epoch_ms")
        }
    }
}

extension Form where Value == Incremental {
    fileprivate static let incremental = Form(
        type: Mapping<Incremental>.incremental.form.type,
        read: { node, reading in
            var blank = Mapping<Incremental>.incremental.blank
            if reading.scope.isPreset { blank.format = .epochMilliseconds }
            return Mapping<Incremental>.incremental.read(node, reading, from: blank)
        }, write: Mapping<Incremental>.incremental.form.write)
}

extension Incremental {
    /// What is taken off a watermark, a time or a number.
    fileprivate enum Overlap: Sendable {
        case span(Duration)
        case count(Int64)
    }

    fileprivate var spanOrCount: Overlap {
        get { overlapCount > 0 ? .count(overlapCount) : .span(overlap) }
        set {
            switch newValue {
            case .span(let span): overlap = span
            case .count(let count): overlapCount = count
            }
        }
    }
}

extension Form where Value == Incremental.Overlap {
    fileprivate static let overlap = Form(
        type: .anyOf([.duration(.zero ... .days(30)), .integer(1 ... .max)]),
        read: { node, reading in
            if case .scalar(let text, isPlain: true) = node.content, isJSONNumber(text) {
                return reading.int(node, 1 ... .max).map { .count(Int64($0)) }
            }
            return reading.duration(node, .zero ... .days(30)).map { .span($0) }
        },
        write: { overlap in
            switch overlap {
            case .span(let span): .span(span)
            case .count(let count): .integer(count)
            }
        })
}

extension Form where Value == Incremental.Format {
    fileprivate static let format = byPreset(
        .word("format"),
        with: Form(
            type: .word([Incremental.Format.epochMilliseconds.rawValue], noun: "format"),
            read: { node, reading in
                guard let format = word("format").read(node, reading) else { return nil }
                if format != .epochMilliseconds {
                    reading.add(
                        node, "CloudKit's times are numbers of milliseconds; expected epoch_ms")
                }
                return format
            }, write: word("format").write))
}

extension Form where Value == Condition {
    fileprivate static let fullCondition = Form(
        type: condition.type,
        read: { node, reading in
            if let changed = node["list_changed"] {
                reading.add(
                    changed,
                    "list_changed compares with what a call sent, so it belongs in before")
                return nil
            }
            return reading.collectingUses { condition.read(node, reading) }.0
        }, write: condition.write)
}

extension Form where Value == String {
    /// A time, or a whole number.
    fileprivate static let firstWatermark = Form(
        type: .anyOf([.formed(.timestamp), .integer(.min ... .max)]),
        read: { node, reading in
            if case .scalar(let text, isPlain: true) = node.content, Int64(text) != nil {
                return text
            }
            guard let text = reading.text(node) else { return nil }
            if isTimestamp(text) { return text }
            reading.add(
                node,
                "expected a time such as 2025-01-31T00:00:00Z or a whole number, found \(node.words)"
            )
            return nil
        }, write: { KeptPosition.number($0) })
}
