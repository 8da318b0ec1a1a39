/// A command line that keeps its command's spec; asking for what the spec doesn't declare is a bug.
struct ParsedArguments {
    let command: CommandSpec
    private(set) var options: [String: [OptionValue]] = [:]
    private(set) var flags: Set<String> = []
    private(set) var positionals: [String] = []

    init(_ command: CommandSpec) {
        self.command = command
    }

    mutating func setFlag(_ name: String) { flags.insert(name) }
    mutating func add(_ value: OptionValue, to name: String) {
        options[name, default: []].append(value)
    }
    mutating func addPositional(_ text: String) { positionals.append(text) }

    /// Whether the option was given, flag or not.
    func has(_ name: String) -> Bool {
        precondition(command.option(name) != nil, "\(command.name) has no --\(name)")
        return flags.contains(name) || options[name] != nil
    }

    func text(_ name: String) -> String? { texts(name).first }

    func texts(_ name: String) -> [String] {
        values(name).compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    func integer(_ name: String) -> Int? {
        if case .integer(let number) = values(name).first { number } else { nil }
    }

    func duration(_ name: String) -> Duration? {
        if case .duration(let duration) = values(name).first { duration } else { nil }
    }

    func assignments(_ name: String) -> [Assignment] {
        values(name).compactMap { if case .assignment(let pair) = $0 { pair } else { nil } }
    }

    /// The text of an option that the spec requires.
    func required(_ name: String) -> String {
        guard let text = text(name) else { preconditionFailure("--\(name) is not required") }
        return text
    }

    /// The first positional, of a command that requires one.
    var subject: String {
        guard let first = positionals.first else { preconditionFailure("\(command.name) has none") }
        return first
    }

    private func values(_ name: String) -> [OptionValue] {
        precondition(command.option(name) != nil, "\(command.name) has no --\(name)")
        return options[name] ?? []
    }
}
