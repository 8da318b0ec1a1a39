import Basics

// What a session asks of the server in its start-up packet, so that it costs no round trip.
extension DatabaseConfiguration {
    /// What decides how values read and what a transaction sees: the last word, over the caller's
    /// options and over what a role or a database has for a default.
    ///
    /// Whether a session may write is left alone: a server that is read-only must be noticed.
    private static let pinned = [
        ("TimeZone", "UTC"), ("DateStyle", "ISO"), ("IntervalStyle", "postgres"),
        ("bytea_output", "hex"), ("extra_float_digits", "1"), ("standard_conforming_strings", "on"),
        ("search_path", "public"),
        // A snapshot that outlives its statement would not see what a lock was waited for.
        ("default_transaction_isolation", "read committed"),
    ]

    /// The keywords for libpq: the caller's over ours.
    ///
    /// A pooler refuses settings in the start-up packet.
    var parameters: [String: String] {
        var all = [
            "fallback_application_name": applicationName,
            "keepalives_idle": "15",
            "keepalives_interval": "5",
            "keepalives_count": "3",
            "tcp_user_timeout": "10000",
        ].merging(settings) { $1 }
        all["client_encoding"] = "UTF8"
        all["options"] = isPooled ? nil : options
        return all
    }

    /// The settings as libpq's `options`; of two for one name the server takes the last.
    var options: String {
        let lasting = [
            // Sessions wait for work, the listener's for days.
            ("idle_session_timeout", "0"), ownSessionSetting,
        ]
        return (optionWords(defaults + lasting) + [givenOptions] + optionWords(Self.pinned))
            .filter { !$0.isEmpty }
            .joined(separator: " ")
    }

    /// The same settings, for a transaction that brings them along.
    var transactionSettings: [(name: String, value: String)] {
        defaults + settingsGiven(givenOptions) + Self.pinned
    }

    private var defaults: [(name: String, value: String)] {
        [
            ("statement_timeout", "\(statementTimeout.millisecondsRoundedUp)"),
            ("lock_timeout", "\(lockTimeout.millisecondsRoundedUp)"),
            (
                "idle_in_transaction_session_timeout",
                "\(idleInTransactionTimeout.millisecondsRoundedUp)"
            ),
            // Compiling one of our statements takes longer than running it.
            ("jit", "off"),
        ] + (usesGenericPlans ? [("plan_cache_mode", "force_generic_plan")] : [])
    }
}

private func optionWords(_ settings: [(name: String, value: String)]) -> [String] {
    settings.map { #"-c \#($0.name)=\#($0.value.replacing(" ", with: #"\ "#))"# }
}

/// The `statement_timeout` among options of the form `-c name=value` or `--name=value`.
///
/// Nil when none is given, or none that PostgreSQL takes.
func statementTimeoutGiven(_ options: String) -> Duration? {
    settingsGiven(options).compactMap { setting -> Duration? in
        setting.name == "statement_timeout" ? span(of: Substring(setting.value)) : nil
    }.last
}

/// Options of the form `-c name=value`, `-cname=value` or `--name=value`, of whose values a backslash keeps blanks.
func settingsGiven(_ options: String) -> [(name: String, value: String)] {
    var words: [String] = [""]
    var isKept = false
    for character in options {
        if !isKept, character == "\\" {
            isKept = true
        } else if !isKept, character.isWhitespace {
            words.append("")
        } else {
            words[words.count - 1].append(character)
            isKept = false
        }
    }
    var settings: [(name: String, value: String)] = []
    for word in words {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { continue }
        let isShort = parts[0].hasPrefix("-c")
        let name = parts[0].dropFirst(isShort ? 2 : 0).drop { $0 == "-" }
        settings.append((String(name.replacing("-", with: "_")), String(parts[1])))
    }
    return settings
}

/// A time as PostgreSQL's settings have it: milliseconds, or a number with a unit.
private func span(of text: Substring) -> Duration? {
    let number = text.prefix { $0.isNumber }
    let unit: Duration? =
        switch text.dropFirst(number.count) {
        case "", "ms": .milliseconds(1)
        case "s": .seconds(1)
        case "min": .seconds(60)
        case "h": .seconds(3600)
        case "d": .seconds(86400)
        default: nil
        }
    guard let unit, let count = Int32(number) else { return nil }
    return unit * Int(count)
}
