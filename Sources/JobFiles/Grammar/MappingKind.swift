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
