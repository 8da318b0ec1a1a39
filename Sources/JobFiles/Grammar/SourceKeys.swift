/// The keys of `source`.
enum SourceKey: String, KeySet {
    case id, base, preset, container, environment, database, auth, timeout, retry, rate, headers
    case zone

    static let title = "source"
    static let meaning = "The external system."
    static let rules: [KeyRule] = [.when(.isThere("preset"), [.needs(["auth"])])]

    var key: Key {
        switch self {
        case .id:
            Key(
                .formed(.sourceID), .required, "The name under which budget and breaker are shared."
            )
        case .base:
            Key(
                .formed(.baseURL), .requiredWithoutPreset,
                "The address of the source, without user, query, fragment, placeholder or trailing slash. "
                    + "With a preset it is Apple's unless it is given.")
        case .preset:
            Key(
                .word(["cloudkit"], noun: "preset"), .optional("plain HTTP and JSON"),
                "The protocol that the source speaks: a database of CloudKit Web Services.")
        case .container:
            Key(.formed(.container), .required, "The CloudKit container.", in: .withPreset)
        case .environment:
            Key(
                .words(of: CloudKitAddress.Environment.self, "environment"), .required,
                "The environment of the container.", in: .withPreset)
        case .database:
            Key(
                .words(of: CloudKitAddress.Database.self, "database"), .required,
                "The database of the container. The key of a server reaches the public one only.",
                in: .withPreset)
        case .auth:
            Key(
                .mapping(AuthKey.self), .optional("`{ type: none }`; required with a preset"),
                "How a request proves whose it is.")
        case .timeout:
            Key(
                .duration(.milliseconds(100) ... .minutes(10)), .default("30s"),
                "The limit of one request.")
        case .retry:
            Key(
                .mapping(RetryKey.self), .optional(nil), "How one request is repeated within a run."
            )
        case .rate: Key(.mapping(RateKey.self), .optional(nil), "What the source allows.")
        case .headers:
            Key(
                .named(.template, by: .ownHeaderName), .optional(nil),
                "Header fields that are sent with every request. They may hold `{secret.x}`.")
        case .zone:
            Key(
                .formed(.timeZone), .optional("such a time is UTC, and may move no watermark"),
                "The time zone of times that name no offset: `Europe/Berlin`, `+02:00`, or an attribute of the "
                    + "user such as `{user.time_zone}`.", in: .withoutPreset)
        }
    }
}

/// The keys of `retry`.
enum RetryKey: String, KeySet {
    case attempts, first, factor, jitter, on
    case waitFrom = "wait_from"

    /// The words of `on` beside single status codes.
    static let failures = ["network", "timeout", "5xx", "408", "425", "429"]

    static let title = "retry"
    static let meaning = "How one request is repeated within a run."

    var key: Key {
        switch self {
        case .attempts:
            Key(.integer(1...10), .default("3"), "How many requests there are, the first included.")
        case .first:
            Key(
                .duration(.milliseconds(1) ... .minutes(10)), .default("1s"),
                "The wait before the second attempt.")
        case .factor:
            Key(.number(1...10), .default("2"), "Each wait is so many times the one before.")
        case .jitter: Key(.number(0...1), .default("0.2"), "The share of a wait that is random.")
        case .on:
            Key(
                .list(
                    .anyOf([
                        .word(Self.failures, noun: "failure"), .integer(408...408),
                        .integer(425...425), .integer(429...429), .integer(500...599),
                    ])),
                .optional("`[network, timeout, 408, 429, 5xx]`"),
                "What is repeated. No other 4xx ever is, and 401, 403 or 421 parks a job that signs in."
            )
        case .waitFrom:
            Key(
                .list(.mapping(WaitKey.self)),
                .optional("`[{ header: Retry-After }]`, with a preset also `{ body: retryAfter }`"),
                "Where the server says how long to wait, with or without a fraction, or until when: an HTTP date, an "
                    + "ISO time, a Unix time in seconds or milliseconds. 1 s at least and 48 h at most. A refusal with "
                    + "such a wait, or with a spent rate limit (`X-RateLimit-Remaining: 0`), is waited for, whatever its "
                    + "status from 400 to 499 but 404, 409, 410 and 412.")
        }
    }
}

/// The keys of an element of `wait_from`.
enum WaitKey: String, KeySet {
    case header, body, unit

    static let title = "wait"
    static let meaning = "A place where the server says how long to wait."
    static let alternatives: [WaitKey] = [.header, .body]

    var key: Key {
        switch self {
        case .header: Key(.formed(.headerName), .optional(nil), "The header field.")
        case .body: Key(.formed(.innerPath), .optional(nil), "The place in the body.")
        case .unit:
            Key(
                .words(of: RetryRule.WaitUnit.self, "unit"), .default("s"),
                "What the number counts. A name that ends in `_ms` must say its unit.")
        }
    }
}

/// The keys of `rate`.
enum RateKey: String, KeySet {
    case perSecond = "per_second"
    case concurrent

    static let title = "rate"
    static let meaning = "What the source allows each tenant."

    var key: Key {
        switch self {
        case .perSecond:
            Key(
                .number(0.001...100_000),
                .optional("each run may send its first 100 pages as they come, then 50 a second"),
                "How many requests a second all workers together may send. At most one second's worth is sent "
                    + "at once."
            )
        case .concurrent:
            Key(
                .integer(1...10_000), .optional("there is no limit"),
                "How many requests may be under way at the same time. They are shared out among the workers "
                    + "alive, at least one each."
            )
        }
    }
}
