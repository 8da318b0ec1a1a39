import JSON

extension RetryRule {
    /// What holds where a file says nothing: three attempts after one and two seconds.
    static let standard = RetryRule(
        attempts: 3, first: .seconds(1), factor: 2, jitter: 0.2,
        on: [.network, .timeout, .status(408), .status(429), .serverErrors],
        waitFrom: [.header("Retry-After")])

    /// CloudKit says in the body how long to wait, up to a day and more.
    static let cloudkit = {
        var rule = standard
        rule.waitFrom.append(.body(Path(steps: [.member("retryAfter")])))
        return rule
    }()

    /// With one attempt nothing is repeated, and a file may not say how.
    fileprivate var repeats: Bool { attempts > 1 }
}

extension Mapping where Model == RetryRule {
    static let retry = Mapping(
        "retry", "How one request is repeated within a run.", blank: .standard
    ) {
        standard(
            "attempts", \.attempts, .integer(1...10),
            "How many requests there are, the first included.")
        standard(
            "first", \.first, .duration(.milliseconds(1) ... .minutes(10)),
            "The wait before the second attempt."
        ).when(\.repeats)
        standard(
            "factor", \.factor, .number(1...10), "Each wait is so many times the one before."
        ).when(\.repeats)
        standard(
            "jitter", \.jitter, .number(0...1), "The share of a wait that is random."
        ).when(\.repeats)
        usual(
            "on", \.on, .wholeList(.failure), without: "`[network, timeout, 408, 429, 5xx]`",
            "What is repeated. No other 4xx ever is, and 401, 403 or 421 parks a job that signs in."
        ).when(\.repeats)
        usual(
            "wait_from", \.waitFrom, .wholeList(.wait),
            without: "`[{ header: Retry-After }]`, with a preset also `{ body: retryAfter }`",
            """
            Where the server says how long to wait, with or without a fraction, or until when: an HTTP date, an \
            ISO time, a Unix time in seconds or milliseconds. 1 s at least and 48 h at most. A refusal with \
            such a wait, or with a spent rate limit (`X-RateLimit-Remaining: 0`), is waited for, whatever its \
            status from 400 to 499 but 404, 409, 410 and 412.
            """)
    } check: { place, rule in
        guard !rule.repeats else { return }
        for key in ["first", "factor", "jitter", "on"] {
            place.report(ifThere: key, "with attempts: 1 nothing is repeated; leave \(key) out")
        }
    }
}

extension Form where Value == RetryRule.Class {
    /// The words of `on` beside single status codes.
    private static var failures: [String] { ["network", "timeout", "5xx", "408", "425", "429"] }

    fileprivate static let failure = Form(
        type: .anyOf([
            .word(failures, noun: "failure"), .integer(408...408), .integer(425...425),
            .integer(429...429), .integer(500...599),
        ]),
        read: { node, reading in
            guard let text = reading.text(node) else { return nil }
            if isJSONNumber(text), !failures.contains(text),
                reading.int(node, .min ... .max) == nil
            {
                return nil
            }
            guard let status = Int(text) else {
                switch text {
                case "network": return .network
                case "timeout": return .timeout
                case "5xx": return .serverErrors
                default:
                    reading.addUnknown("failure", text, known: failures, at: node)
                    return nil
                }
            }
            if [408, 425, 429].contains(status) || (500...599).contains(status) {
                return .status(status)
            }
            reading.add(
                node,
                "\(status) is never retried: asking again gets the same answer; expected 408, 425, 429 or 5xx"
            )
            return nil
        },
        write: { failure in
            switch failure {
            case .network: .string("network")
            case .timeout: .string("timeout")
            case .serverErrors: .string("5xx")
            case .status(let status): .integer(status)
            }
        })
}

/// A place of `wait_from` as a file writes it.
private struct WrittenWait {
    var header: String?
    var body: Path?
    var unit: RetryRule.WaitUnit?
}

extension Mapping where Model == WrittenWait {
    fileprivate static let wait = Mapping(
        "wait", "A place where the server says how long to wait.", blank: WrittenWait(),
        oneOf: ["header", "body"]
    ) {
        optional("header", \.header, .headerName, "The header field.")
        optional("body", \.body, .innerPath, "The place in the body.")
        optional(
            "unit", \.unit, .word("unit"), standard: "s",
            "What the number counts. A name that ends in `_ms` must say its unit.")
    } check: { place, wait in
        guard !place.has("unit"), let node = place.node["header"] ?? place.node["body"],
            node.scalarText?.namesMilliseconds == true
        else { return }
        place.reading.add(
            node, "\(node.words) reads like milliseconds; add unit: ms, or unit: s")
    }
}

extension Form where Value == RetryRule.WaitSource {
    fileprivate static let wait = Mapping<WrittenWait>.wait.form.map(
        { written, _ -> RetryRule.WaitSource? in
            let unit = written.unit ?? .seconds
            if let path = written.body { return .body(path, unit: unit) }
            return written.header.map { .header($0, unit: unit) }
        },
        back: { source in
            func told(_ unit: RetryRule.WaitUnit) -> RetryRule.WaitUnit? {
                unit == .seconds ? nil : unit
            }
            return switch source {
            case .header(let name, let unit): WrittenWait(header: name, unit: told(unit))
            case .body(let path, let unit): WrittenWait(body: path, unit: told(unit))
            }
        })
}

extension String {
    /// `retry_after_ms`, `x-ms-retry-after-ms`, `retryAfterMs`: without a unit it would be seconds.
    fileprivate var namesMilliseconds: Bool {
        ["_ms", "-ms", "Ms", "millis", "milliseconds"].contains { hasSuffix($0) }
    }
}

extension Mapping where Model == Rate {
    static let rate = Mapping("rate", "What the source allows each tenant.", blank: Rate()) {
        optional(
            "per_second", \.perSecond, .number(0.001...100_000),
            without: "each run may send its first 100 pages as they come, then 50 a second",
            """
            How many requests a second all workers together may send. At most one second's worth is sent \
            at once.
            """)
        optional(
            "concurrent", \.concurrent, .integer(1...10_000), without: "there is no limit",
            """
            How many requests may be under way at the same time. They are shared out among the workers \
            alive, at least one each.
            """)
    }
}
