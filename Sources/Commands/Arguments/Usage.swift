/// How an option is written on a command line.
extension OptionSpec {
    /// As one writes it: `--tenant T`, `--full`.
    var usage: String {
        switch form {
        case .flag: "--\(name)"
        case .value(_, let placeholder), .repeated(_, let placeholder): "--\(name) \(placeholder)"
        }
    }

    /// In brackets where it may be left out, with `…` where it may be repeated.
    fileprivate var usageInLine: String {
        switch form {
        case .repeated: "[\(usage)]…"
        case .flag, .value: isRequired ? usage : "[\(usage)]"
        }
    }
}

/// How a command is written on a command line.
extension CommandSpec {
    /// `NAME`, `[FILE]…`.
    var positionalUsage: String {
        if positionals.isEmpty { return "none" }
        return positionals.map { positional in
            switch positional.count {
            case .one: positional.name
            case .optional: "[\(positional.name)]"
            case .any: "[\(positional.name)]…"
            }
        }.joined(separator: " ")
    }

    /// The line after `usage:`.
    var usage: String {
        var parts = ["jobrunner \(name)"]
        if !positionals.isEmpty { parts.append(positionalUsage) }
        let alternatives = rules.compactMap { rule in
            if case .exactlyOne(let names) = rule { names } else { nil as [String]? }
        }
        for names in alternatives {
            let usages = names.compactMap { option($0)?.usage }
            parts.append("(\(usages.joined(separator: " | ")))")
        }
        let exclusive = rules.compactMap { rule in
            if case .atMostOne(let names) = rule { names } else { nil as [String]? }
        }
        for names in exclusive {
            let usages = names.compactMap { option($0)?.usage }
            parts.append("[\(usages.joined(separator: " | "))]")
        }
        let inAlternatives = Set((alternatives + exclusive).flatMap { $0 })
        for option in options where !inAlternatives.contains(option.name) {
            parts.append(option.usageInLine)
        }
        return parts.joined(separator: " ")
    }
}
