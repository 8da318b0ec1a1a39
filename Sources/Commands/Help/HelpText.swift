/// What the help says of an option.
extension OptionSpec {
    /// What the help says, with what the value may be.
    var fullHelp: String {
        guard let setting else { return valueHelp }
        let otherwise = setting.fallback.map { "; else \($0)" } ?? ""
        return valueHelp + " [\(setting.rawValue)\(otherwise)]"
    }

    private var valueHelp: String {
        switch form {
        case .value(.integer(let range), _), .repeated(.integer(let range), _):
            "\(help) (\(range.lowerBound) to \(range.upperBound))"
        case .value(.word(let words), _), .repeated(.word(let words), _):
            "\(help) (\(choices(words)))"
        case .repeated: "\(help); may be repeated"
        case .flag, .value: help
        }
    }
}

/// The text of `jobrunner help …`; the words are those of a command, a group, or none.
func helpText(about words: [String], _ commands: [CommandSpec]) -> String {
    if let command = commands.first(where: { $0.words == words }) { return commandHelp(command) }
    if words.isEmpty { return overview(commands) }
    let group = commands.filter { $0.words.starts(with: words) }
    return "usage: jobrunner \(words.joined(separator: " ")) COMMAND\n\ncommands:\n"
        + columns(group.map { ($0.name, $0.summary) })
        + "\njobrunner help \(group.first?.name ?? "") tells more.\n"
}

private func overview(_ commands: [CommandSpec]) -> String {
    """
    jobrunner runs the sync jobs of many tenants' users from PostgreSQL.

    usage: jobrunner COMMAND [ARGUMENT]…

    commands:
    \(columns(commands.map { ($0.name, $0.summary) }))
    settings, from the environment or a file:
    \(columns(generalSettings))
    exit codes:
    \(columns(exitCodes))
    jobrunner help COMMAND tells more; jobrunner --version prints the version.

    """
}

private func commandHelp(_ command: CommandSpec) -> String {
    var text = "\(command.summary).\n\nusage: \(command.usage)\n"
    if !command.positionals.isEmpty {
        text += "\narguments:\n" + columns(command.positionals.map { ($0.name, $0.help) })
    }
    let options = command.options.map { ($0.usage, $0.fullHelp) } + [("--help", "print this text")]
    text += "\noptions:\n" + columns(options)
    return text + "\nexample:\n  \(command.example)\n"
}

private func columns(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { left, right in
        "  \(left)\(String(repeating: " ", count: width - left.count))  \(right)\n"
    }.joined()
}

/// Settings that more than one command has, with what each is.
let generalSettings = [
    ("DATABASE_URL", "the database; else libpq's own PGHOST, PGDATABASE and so on"),
    ("JOBRUNNER_JOBS", "folder of the job files (default jobs)"),
    ("JOBRUNNER_KEY_FILE", "file of the key that seals secrets"),
    ("JOBRUNNER_LOG", "text or json (default text)"),
    ("JOBRUNNER_LOG_LEVEL", "error, warning, info or debug (default info)"),
    ("JOBRUNNER_SETTINGS", "file of lines NAME=value"),
]

/// Every exit code in words.
let exitCodes = ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) }
