/// What the JSON Schema and the manual say of one key of a mapping.
struct KeyFacts: Sendable {
    /// What its value must be.
    let type: ValueType
    /// What it must be with a preset, where that is another.
    let presetType: ValueType?
    /// Whether it may be left out.
    let need: Need
    /// Where the mapping has it.
    let context: Context
    /// What it says, in whole sentences.
    let meaning: String
    /// The version of jobrunner that brought it.
    let since: String

    init(
        _ type: ValueType, _ need: Need, _ meaning: String, in context: Context = .anywhere,
        withPreset presetType: ValueType? = nil, since: String = "0.1"
    ) {
        self.type = type
        self.presetType = presetType
        self.need = need
        self.context = context
        self.meaning = meaning
        self.since = since
    }

    /// Whether a key may be left out.
    enum Need: Sendable {
        case required
        /// Required without a preset; with one the preset fills it in.
        case requiredWithoutPreset
        /// Required with a preset; what holds without one, in words.
        case requiredWithPreset(String)
        /// What holds without it, in words; nil when there is nothing that needs saying.
        case optional(String?)
        /// What holds without it, as a file would write it.
        case `default`(String)
    }

    /// Where a mapping has a key.
    enum Context: Sendable {
        case anywhere
        /// With `source.preset`, or with the preset's operation in an entity.
        case withPreset
        /// Without it.
        case withoutPreset

        /// The mapping has the key there; nil when nobody knows whether there is a preset.
        func fits(isPreset: Bool?) -> Bool {
            switch self {
            case .anywhere: true
            case .withPreset: isPreset ?? true
            case .withoutPreset: !(isPreset ?? false)
            }
        }
    }
}

/// What is known of one kind of mapping, however its values are read.
struct MappingKind: Sendable {
    /// Names the kind in the JSON Schema and in the marks of the manual.
    let title: String
    /// What such a mapping says.
    let meaning: String
    /// In the order of the manual.
    let keys: [(name: String, facts: KeyFacts)]
    /// Keys of which exactly one must be there; none: there is no such choice.
    let alternatives: [String]
    /// The key that decides which others there are; nil when all may be there.
    let variants: Variants?
    /// What an editor can check besides; readers say it in words of their own.
    let rules: [KeyRule]

    /// The names of the keys in the order of their declaration.
    var names: [String] { keys.map(\.name) }

    func facts(of name: String) -> KeyFacts? { keys.first { $0.name == name }?.facts }
}

/// What the value of a key must be.
indirect enum ValueType: Sendable {
    /// Any scalar, read as a text.
    case text
    /// A text in a form of its own.
    case formed(TextForm)
    /// A text that may hold placeholders.
    case template
    case duration(ClosedRange<Duration>)
    case integer(ClosedRange<Int>, except: [Int] = [])
    case number(ClosedRange<Double>)
    case boolean
    /// One of some words; a mistake calls them by the noun.
    case word([String], noun: String)
    /// Filled: not empty.
    case list(ValueType, isFilled: Bool)
    /// Two values.
    case pair(ValueType, ValueType)
    case oneOrMore(ValueType)
    /// Names, which are the file's own, to values.
    case named(ValueType, by: TextForm, isFilled: Bool = false, except: [String] = [])
    /// Whatever stands there in words of the manual.
    case any(String)
    case anyOf([ValueType])
    /// A mapping; asked for when it is needed, since a kind holds the kinds below it.
    case keys(@Sendable () -> MappingKind)

    /// The words of an enumeration.
    static func words<Word: RawRepresentable<String> & CaseIterable>(
        of _: Word.Type, _ noun: String = "word"
    ) -> ValueType {
        .word(Word.allCases.map(\.rawValue), noun: noun)
    }

    static let name = ValueType.formed(.name)

    /// A list that must not be empty.
    static func filled(_ element: ValueType) -> ValueType { .list(element, isFilled: true) }

    static func list(_ element: ValueType) -> ValueType { .list(element, isFilled: false) }
}

/// The words of a key that decides which other keys its mapping has.
struct Variants: Sendable {
    /// The key.
    let key: String
    let all: [Variant]

    /// The keys of every variant but the common ones, each once.
    var names: [String] {
        all.flatMap { $0.kind?.names ?? [] }.reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }
}

/// One word of such a key.
struct Variant: Sendable {
    let word: String
    /// The keys that only this word brings.
    let kind: MappingKind?
    /// What the word means.
    let meaning: String
    /// Where the word may stand.
    let context: KeyFacts.Context
}

/// What keys of one mapping ask of each other, as far as a JSON Schema can tell.
enum KeyRule: Sendable {
    case atMostOne([String])
    case atLeastOneKey
    case when(Test, [Effect])

    /// What a rule depends on.
    indirect enum Test: Sendable {
        case isThere(String)
        /// The key is there and has one of these words, `true` for a bool.
        case has(String, [String])
        case not(Test)
        case all([Test])
    }

    /// What it asks then.
    enum Effect: Sendable {
        case needs([String])
        case forbids([String])
        case narrows(String, ValueType)
        /// No such mapping can be right.
        case fails
    }
}
