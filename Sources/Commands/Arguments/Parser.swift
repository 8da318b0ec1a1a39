/// What a command line asks for.
enum Invocation {
    /// Help about everything, about a group (`tenant`) or about a command.
    case help(about: [String])
    case version
    case command(ParsedArguments)
}

/// Reads the arguments after the program's name.
func parse(
    _ arguments: [String], _ commands: [CommandSpec]
) throws(UsageError) -> Invocation {
    guard let first = arguments.first else {
        throw UsageError(command: "", message: "no command; jobrunner --help lists them")
    }
    switch first {
    case "-h", "--help": return .help(about: [])
    case "--version": return .version
    case "help": return .help(about: try topic(Array(arguments.dropFirst()), commands))
    default: break
    }
    let options = arguments.prefix { $0 != "--" }
    if options.contains(where: { $0 == "-h" || $0 == "--help" }) {
        let words = options.prefix { !$0.hasPrefix("-") }
        return .help(about: try longestTopic(Array(words), commands))
    }
    let command = try findCommand(arguments, commands)
    var parser = CommandParser(command, Array(arguments.dropFirst(command.words.count)))
    return .command(try parser.parse())
}

private func findCommand(
    _ arguments: [String], _ commands: [CommandSpec]
) throws(UsageError) -> CommandSpec {
    let first = arguments[0]
    guard !first.hasPrefix("-") else {
        throw UsageError(
            command: "",
            message: "unknown option \(quoted(first)) before a command; jobrunner --help"
                + " lists the commands")
    }
    let candidates = commands.filter { $0.words[0] == first }
    guard !candidates.isEmpty else { throw unknownCommand(first, commands) }
    if let command = candidates.first(where: { $0.words.count == 1 }) { return command }
    let seconds = candidates.map { $0.words[1] }
    guard arguments.count > 1, !arguments[1].hasPrefix("-") else {
        throw UsageError(command: first, message: "expects \(choices(seconds))")
    }
    guard let command = candidates.first(where: { $0.words[1] == arguments[1] }) else {
        throw UsageError(
            command: first,
            message: "unknown command \(quoted(arguments[1])); expected \(choices(seconds))"
                + hint(for: arguments[1], among: seconds))
    }
    return command
}

private func unknownCommand(_ typed: String, _ commands: [CommandSpec]) -> UsageError {
    let hint = hint(for: typed, among: commands.map { $0.words[0] } + ["help"])
    return UsageError(
        command: "",
        message: "unknown command \(quoted(typed))"
            + (hint.isEmpty ? "; jobrunner --help lists them" : hint))
}

/// Checks that there is something to tell about the words.
private func topic(
    _ words: [String], _ commands: [CommandSpec]
) throws(UsageError) -> [String] {
    if words.isEmpty || commands.contains(where: { $0.words.starts(with: words) }) { return words }
    guard commands.contains(where: { $0.words[0] == words[0] }) else {
        throw unknownCommand(words[0], commands)
    }
    let seconds = commands.filter { $0.words[0] == words[0] }.compactMap {
        $0.words.dropFirst().first
    }
    throw UsageError(
        command: "help",
        message: "\(words[0]) has no command \(quoted(words[1]))"
            + hint(for: words[1], among: seconds))
}

/// The command or group that the words begin with; what follows are its arguments.
private func longestTopic(
    _ words: [String], _ commands: [CommandSpec]
) throws(UsageError) -> [String] {
    if let command = commands.first(where: { words.starts(with: $0.words) }) {
        return command.words
    }
    return try topic(Array(words.prefix(1)), commands)
}
