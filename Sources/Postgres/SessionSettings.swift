import Basics

// What a session asks of the server in its start-up packet, so that it costs no round trip.
extension DatabaseConfiguration {
    /// What decides how values read and what a transaction sees: the last word, over the caller's
    /// options and over what a role or a database has for a default.
    ///
    /// Whether a session may write is left alone: a server that is read-only must be noticed.
    private static let pinned = [
        "TimeZone=UTC", "DateStyle=ISO", "IntervalStyle=postgres", "bytea_output=hex",
        "extra_float_digits=1", "standard_conforming_strings=on", "search_path=public",
        // A snapshot that outlives its statement would not see what a lock was waited for.
        #"default_transaction_isolation=read\ committed"#,
    ]

    /// The keywords for libpq: the caller's over ours.
    var parameters: [String: String] {
        var all = [
            "fallback_application_name": applicationName,
            "keepalives_idle": "15",
            "keepalives_interval": "5",
            "keepalives_count": "3",
            "tcp_user_timeout": "10000",
        ].merging(settings) { $1 }
        all["client_encoding"] = "UTF8"
        all["options"] = options
        return all
    }

    /// The settings as libpq's `options`; of two for one name the server takes the last.
    var options: String {
        let given = givenOptions
        return (defaults.map { "-c \($0)" } + [given] + Self.pinned.map { "-c \($0)" })
            .filter { !$0.isEmpty }
            .joined(separator: " ")
    }

    private var defaults: [String] {
        [
            "statement_timeout=\(statementTimeout.millisecondsRoundedUp)",
            "lock_timeout=\(lockTimeout.millisecondsRoundedUp)",
            "idle_in_transaction_session_timeout=\(idleInTransactionTimeout.millisecondsRoundedUp)",
            // Sessions wait for work, the listener's for days.
            "idle_session_timeout=0",
            // Compiling one of our statements takes longer than running it.
            "jit=off",
        ] + (usesGenericPlans ? ["plan_cache_mode=force_generic_plan"] : [])
    }
}

/// The `statement_timeout` among options of the form `-c name=value` or `--name=value`.
///
/// Nil when none is given, or none that PostgreSQL takes.
func statementTimeoutGiven(_ options: String) -> Duration? {
    options.split(whereSeparator: \.isWhitespace).compactMap { word -> Duration? in
        let parts = word.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let name = parts[0].drop { $0 == "-" }.replacing("-", with: "_")
        guard name == "statement_timeout" || name == "cstatement_timeout" else { return nil }
        return span(of: parts[1])
    }.last
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
