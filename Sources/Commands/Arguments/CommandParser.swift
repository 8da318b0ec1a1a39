/// Reads the arguments of one command.
struct CommandParser {
    private let command: CommandSpec
    private var rest: ArraySlice<String>
    private var parsed: ParsedArguments

    init(_ command: CommandSpec, _ arguments: [String]) {
        self.command = command
        rest = arguments[...]
        parsed = ParsedArguments(command)
    }

    mutating func parse() throws(UsageError) -> ParsedArguments {
        var optionsEnded = false
        while let argument = rest.popFirst() {
            switch argument {
            case "--" where !optionsEnded: optionsEnded = true
            case _ where argument.hasPrefix("-") && argument != "-" && !optionsEnded:
                try readOption(argument)
            default: try readPositional(argument)
            }
        }
        try checkCounts()
        try checkRules()
        return parsed
    }

    private mutating func readOption(_ argument: String) throws(UsageError) {
        let equals = argument.firstIndex(of: "=")
        let written = String(argument[..<(equals ?? argument.endIndex)])
        let attached = equals.map { String(argument[argument.index(after: $0)...]) }
        guard written.hasPrefix("--"), let option = command.option(String(written.dropFirst(2)))
        else { throw unknownOption(written) }
        switch option.form {
        case .flag:
            guard attached == nil else { throw mistake("\(written) takes no value") }
            parsed.setFlag(option.name)
        case .value(let kind, let placeholder):
            guard !parsed.has(option.name) else { throw mistake("\(written) is given twice") }
            try readValue(of: option, kind, attached, placeholder)
        case .repeated(let kind, let placeholder):
            try readValue(of: option, kind, attached, placeholder)
        }
    }

    private mutating func readValue(
        of option: OptionSpec, _ kind: ValueKind, _ attached: String?, _ placeholder: String
    ) throws(UsageError) {
        guard let text = attached ?? nextValue() else {
            throw mistake("--\(option.name) needs a value: --\(option.name) \(placeholder)")
        }
        do throws(ValueError) {
            let value = try kind.parse(text)
            if case .assignment(let pair) = value {
                try checkAgainst(parsed.assignments(option.name), pair)
            }
            parsed.add(value, to: option.name)
        } catch {
            throw mistake("--\(option.name) \(error.message)")
        }
    }

    private func checkAgainst(_ earlier: [Assignment], _ pair: Assignment) throws(ValueError) {
        if earlier.contains(where: { $0.name == pair.name }) {
            throw ValueError(message: "\(quoted(pair.name)) is given twice")
        }
        if pair.value == .standardInput, earlier.contains(where: { $0.value == .standardInput }) {
            throw ValueError(
                message: "\(quoted(pair.name)) reads standard input, as an earlier one does;"
                    + " expected name=@FILE")
        }
    }

    /// The next argument unless it looks like an option; `-` and negative numbers don't.
    private mutating func nextValue() -> String? {
        guard let next = rest.first else { return nil }
        let second = next.dropFirst().first
        let isOption = next.hasPrefix("-") && second != nil && second?.isNumber == false
        return isOption ? nil : rest.popFirst()
    }

    private mutating func readPositional(_ argument: String) throws(UsageError) {
        let takesAny = command.positionals.contains { $0.count == .any }
        guard takesAny || parsed.positionals.count < command.positionals.count else {
            let what =
                command.mayHoldSecrets
                ? "one argument too many" : "unexpected argument \(quoted(argument))"
            throw mistake("\(what); expected \(command.positionalUsage)")
        }
        do throws(ValueError) { try checkText(argument) } catch {
            throw mistake("\(command.positionals.first?.name ?? "argument") \(error.message)")
        }
        parsed.addPositional(argument)
    }

    private func checkCounts() throws(UsageError) {
        let required = command.positionals.filter { $0.count == .one }
        if parsed.positionals.count < required.count {
            throw mistake("\(required[parsed.positionals.count].name) is missing")
        }
        for option in command.options where option.isRequired && !parsed.has(option.name) {
            throw mistake("\(option.usage) is missing")
        }
    }

    private func checkRules() throws(UsageError) {
        for rule in command.rules {
            switch rule {
            case .exactlyOne(let names):
                let given = names.filter(parsed.has)
                let usages = names.compactMap { command.option($0)?.usage }
                if given.isEmpty { throw mistake("\(choices(usages)) is missing") }
                try checkExclusion(given)
            case .atMostOne(let names): try checkExclusion(names.filter(parsed.has))
            case .some(let names) where !names.contains(where: parsed.has):
                let usages = names.compactMap { command.option($0)?.usage }
                throw mistake("nothing to change; expected \(choices(usages))")
            case .some: continue
            case .needs(let name, let other):
                if parsed.has(name) && !parsed.has(other) {
                    throw mistake("--\(name) needs --\(other)")
                }
            }
        }
    }

    private func checkExclusion(_ given: [String]) throws(UsageError) {
        guard given.count > 1 else { return }
        throw mistake(given.map { "--\($0)" }.joined(separator: " and ") + " exclude each other")
    }

    private func unknownOption(_ written: String) -> UsageError {
        let typed = String(written.drop { $0 == "-" })
        let names = command.options.map(\.name) + ["help"]
        let hint = hint(for: typed, among: names, prefix: "--")
        return mistake(
            "unknown option \(quoted(written))"
                + (hint.isEmpty ? "; jobrunner help \(command.name) lists them" : hint))
    }

    private func mistake(_ message: String) -> UsageError {
        UsageError(command: command.name, message: message)
    }
}
