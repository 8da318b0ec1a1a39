import JSON

extension Form where Value == Duration {
    /// How long a source is believed without being read as a whole.
    static let fullEvery = duration(.minutes(1) ... .days(365))
}

extension Mapping where Model == Incremental {
    fileprivate static let incremental = Mapping(
        "incremental", "What makes a pass incremental.",
        blank: Incremental(
            watermark: .runStart, overlap: .zero, format: .time(.iso8601), fullIf: [],
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
            """
            How the watermark is sent: `raw` is the source's own form and goes with `max_seen` only. A pattern is as in a \
            field, by the clock of `source.zone`.
            """
        )
        usual(
            "full_if", \.fullIf, .filled(.fullCondition),
            "The pass is a full one when any of these conditions holds. `list_changed` is not among them."
        )
        usual(
            "fallback", \.fallsBackToJob, .only("job_last_success"), without: "from the beginning",
            "Where an entity without a watermark begins.")
        optional(
            "full_every", \.fullEvery, .fullEvery, without: "never",
            "A pass is full when the last full one is so long ago. A sweep needs it.")
        optional(
            "start", \.start, .start,
            without: "a first and a full pass send no `{since}`",
            """
            What `{since}` is in a first and a full pass: a time, a span before the run such as `90d`, `{user.x}`, or a \
            number where the watermark is one. What is older is none of the list's, for a sweep either.
            """)
        optional(
            "window", \.window, .duration(.minutes(1) ... .days(3650)),
            without: "a pass asks for all at once",
            """
            How much time is asked for at once, from `{since}` to `{until}`. A pass goes from window to window up to its end, \
            and an interrupted one goes on in its window. It needs `start`.
            """
        ).only(.withoutPreset)
        optional(
            "until", \.lag, .duration(.zero ... .days(365)), without: "at the pass's start",
            """
            How long before its start a pass ends: what `{until}` is then. For sources whose newest records still change \
            or come late.
            """
        ).only(.withoutPreset)
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
    static let incremental = Form(
        type: Mapping<Incremental>.incremental.form.type,
        read: { node, reading in
            var blank = Mapping<Incremental>.incremental.blank
            if reading.scope.isPreset { blank.format = .time(.epochMilliseconds) }
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
        type: .anyOf([.duration(.zero ... .days(365)), .integer(1 ... .max)]),
        read: { node, reading in
            if case .scalar(let text, isPlain: true) = node.content, isJSONNumber(text) {
                return reading.int(node, 1 ... .max).map { .count(Int64($0)) }
            }
            return reading.duration(node, .zero ... .days(365)).map { .span($0) }
        },
        write: { overlap in
            switch overlap {
            case .span(let span): .span(span)
            case .count(let count): .integer(count)
            }
        })
}

extension Form where Value == Incremental.Format {
    static let format = byPreset(
        Form(
            type: .formed(.sentFormat),
            read: { node, reading in
                if node.isScalar("raw") { return .raw }
                return reading.time(node, also: ["raw"]).map { .time($0) }
            }, write: { .string($0.text) }),
        with: Form(
            type: .word([TimeFormat.epochMilliseconds.text], noun: "format"),
            read: { node, reading in
                let words = ["iso8601", "epoch_s", "epoch_ms", "raw"]
                guard let word = reading.choice(node, "format", of: words) else { return nil }
                if word != TimeFormat.epochMilliseconds.text {
                    reading.add(
                        node, "CloudKit's times are numbers of milliseconds; expected epoch_ms")
                }
                return word == "raw" ? .raw : TimeFormat(named: word).map { .time($0) }
            }, write: { .string($0.text) }))
}

extension Incremental.Format {
    fileprivate var text: String {
        switch self {
        case .raw: "raw"
        case .time(let format): format.text
        }
    }
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

extension Form where Value == Incremental.Start {
    /// A time, a span before the run, an attribute of the user, or a whole number.
    static let start = Form(
        type: .anyOf([.formed(.timestamp), .integer(.min ... .max), .duration(span), .template]),
        read: { node, reading in
            if case .scalar(let text, isPlain: true) = node.content, Int64(text) != nil {
                return .fixed(text)
            }
            guard let text = reading.text(node) else { return nil }
            if isTimestamp(text) { return .fixed(text) }
            if text.hasPrefix("{") {
                guard let template = reading.template(node, []) else { return nil }
                if case .user(let name)? = template.lonePlaceholder { return .attribute(name) }
            } else if let ago = Duration(jobFile: text), span.contains(ago) {
                return .ago(ago)
            }
            reading.add(
                node,
                "expected a time such as 2025-01-31T00:00:00Z, a span such as 90d, {user.x} or a whole number, found \(node.words)"
            )
            return nil
        },
        write: { start in
            switch start {
            case .fixed(let text): KeptPosition.number(text)
            case .ago(let span): .span(span)
            case .attribute(let name): .string("{user.\(name)}")
            }
        })

    private static let span = Duration.minutes(1) ... .days(36_500)
}
