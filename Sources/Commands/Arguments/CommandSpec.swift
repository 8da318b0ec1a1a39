/// What may follow the `=` of a `name=value` argument.
enum AssignedValue: Equatable {
    case text
    /// `http://…` or `https://…`.
    case url
    /// `@FILE`.
    case file
    /// `@FILE` or `-` for standard input; never the value itself, which `ps` would show.
    case secret
}

/// What the value of an option is.
enum ValueKind: Equatable {
    case text
    case integer(ClosedRange<Int>)
    /// One of a few words.
    case word([String])
    /// `90s`, `5m`, `1h30m`, `2d`.
    case duration
    /// `127.0.0.1:9464`, or `none` where that may be.
    case address(mayBeNone: Bool)
    case assignment(AssignedValue)
}

/// An option of a command, as data: the parser and the help read the same.
struct OptionSpec {
    enum Form {
        case flag
        case value(ValueKind, placeholder: String)
        /// May be given more than once.
        case repeated(ValueKind, placeholder: String)
    }

    /// Without the dashes.
    let name: String
    let form: Form
    let help: String
    let isRequired: Bool
    /// What holds where the option is not given.
    let setting: Setting?

    private init(
        _ name: String, _ form: Form, _ help: String, isRequired: Bool = false,
        setting: Setting? = nil
    ) {
        self.name = name
        self.form = form
        self.help = help
        self.isRequired = isRequired
        self.setting = setting
    }

    static func flag(_ name: String, _ help: String) -> OptionSpec {
        OptionSpec(name, .flag, help)
    }

    static func value(
        _ name: String, _ placeholder: String, as kind: ValueKind = .text, required: Bool = false,
        setting: Setting? = nil, _ help: String
    ) -> OptionSpec {
        OptionSpec(
            name, .value(kind, placeholder: placeholder), help, isRequired: required,
            setting: setting)
    }

    static func repeated(
        _ name: String, _ placeholder: String, as kind: ValueKind = .text, _ help: String
    ) -> OptionSpec {
        OptionSpec(name, .repeated(kind, placeholder: placeholder), help)
    }
}

/// An argument without a name.
struct PositionalSpec {
    enum Count { case one, optional, any }

    /// In capitals, as the help shows it.
    let name: String
    let count: Count
    let help: String
}

/// What the presence of options must satisfy beyond each option's own rule.
enum OptionRule {
    /// Exactly one of these is given.
    case exactlyOne([String])
    /// At most one of these is given.
    case atMostOne([String])
    /// At least one of these is given.
    case some([String])
    /// Without the second, the first means nothing.
    case needs(String, String)
}

/// What a command takes away that nothing brings back.
///
/// A command that declares it has `--yes`, and asks on a terminal before it begins (`LossConfirmation`).
struct Loss {
    /// What its first argument names: `tenant`.
    let kind: String
    /// What goes, behind that name: `with its users`.
    let words: String
    /// Only with this option is anything lost; nil means always.
    let option: String?

    static func always(_ kind: String, _ words: String) -> Loss {
        Loss(kind: kind, words: words, option: nil)
    }

    static func with(_ option: String, _ kind: String, _ words: String) -> Loss {
        Loss(kind: kind, words: words, option: option)
    }
}

/// A command, as data.
struct CommandSpec {
    /// `enqueue`, or `tenant add`.
    let name: String
    /// One line, no full stop.
    let summary: String
    let positionals: [PositionalSpec]
    let options: [OptionSpec]
    let rules: [OptionRule]
    /// Nil means that whatever it does can be undone.
    let loss: Loss?
    /// A command line that works, from `jobrunner` on.
    let example: String

    init(
        _ name: String, _ summary: String, positionals: [PositionalSpec] = [],
        options: [OptionSpec] = [], rules: [OptionRule] = [], loss: Loss? = nil,
        example: String
    ) {
        self.name = name
        self.summary = summary
        self.positionals = positionals
        self.options = options + (loss == nil ? [] : [.yes])
        self.rules = rules
        self.loss = loss
        self.example = example
    }

    var words: [String] { name.split(separator: " ").map(String.init) }

    func option(_ name: String) -> OptionSpec? { options.first { $0.name == name } }

    /// Whether a secret may be among the arguments by mistake, so that none is repeated in an error.
    var mayHoldSecrets: Bool {
        options.contains { option in
            if case .repeated(.assignment(.secret), _) = option.form { true } else { false }
        }
    }
}
