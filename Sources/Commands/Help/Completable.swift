/// What a shell may offer in a place of a command line.
enum Completable: Equatable {
    case words([String])
    case files
    /// Something that only the database or the person knows.
    case unknown

    /// The places whose values are paths, by the words that the help has for them.
    fileprivate init(placeholder: String) {
        let paths: Set = ["FILE", "JOB|FILE", "MANIFEST", "PATH", "DIR"]
        self = paths.contains(placeholder) ? .files : .unknown
    }
}

extension OptionSpec {
    /// What its value may be; nil means that it takes none.
    var completable: Completable? {
        switch form {
        case .flag: nil
        case .value(.word(let words), _), .repeated(.word(let words), _): .words(words)
        case .value(_, let placeholder), .repeated(_, let placeholder):
            Completable(placeholder: placeholder)
        }
    }

    var isRepeated: Bool {
        if case .repeated = form { true } else { false }
    }

    /// The word that the help has for its value; nil means that it takes none.
    var placeholder: String? {
        switch form {
        case .flag: nil
        case .value(_, let placeholder), .repeated(_, let placeholder): placeholder
        }
    }
}

extension PositionalSpec {
    var completable: Completable { Completable(placeholder: name) }
}

/// A word that commands begin with: a command, or the group of those that have it in common.
struct FirstWord {
    let word: String
    /// Of a command of one word; nil means a group.
    let command: CommandSpec?
    let members: [CommandSpec]

    /// In the order of the help.
    static func all(_ commands: [CommandSpec]) -> [FirstWord] {
        var order: [String] = []
        for word in commands.map({ $0.words[0] }) where !order.contains(word) { order.append(word) }
        return order.map { word in
            let members = commands.filter { $0.words[0] == word }
            return FirstWord(
                word: word, command: members.first { $0.words.count == 1 }, members: members)
        }
    }

    var seconds: [String] { members.compactMap { $0.words.dropFirst().first } }

    /// For a list: the command's own line, or what the group has.
    var summary: String { command?.summary ?? choices(seconds) }
}
