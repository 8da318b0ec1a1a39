import Serving

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

    /// Takes from the settings what the command line leaves to them.
    ///
    /// Throws `Failure` for a setting whose value the option would not take.
    func filled(from settings: [Setting: SettingReader.Found]) throws(Failure) -> Self {
        var filled = self
        for option in command.options {
            guard let setting = option.setting, options[option.name] == nil,
                let text = settings[setting]?.value ?? setting.fallback,
                case .value(let kind, _) = option.form
            else { continue }
            do throws(ValueError) {
                filled.add(try kind.parse(text), to: option.name)
            } catch {
                throw Failure(.configuration, "\(setting.rawValue) \(error.message)")
            }
        }
        return filled
    }

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

    func address(_ name: String) -> ListenAddress? {
        if case .address(let address) = values(name).first { address } else { nil }
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
