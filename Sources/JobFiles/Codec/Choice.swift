/// A key whose words decide which other keys its mapping has.
struct Choice<Model: Sendable>: Sendable {
    /// One word of the key.
    struct Variant: Sendable {
        let word: String
        /// What the word means.
        let meaning: String
        /// Where the word may stand.
        let context: KeyFacts.Context
        /// The keys that only such words bring.
        let keys: [Key<Model>]
        /// Keys of several words; in what is written they stand behind the keys of all words.
        let shared: [Key<Model>]
        /// What an editor can check besides.
        let rules: [KeyRule]
        /// Keys of its own of which exactly one must be there.
        let alternatives: [String]

        /// Names its keys in the JSON Schema; nil when they have the word's own name.
        let title: String?

        /// What the JSON Schema and the manual say of its keys.
        func kind(_ blank: Model) -> MappingKind? {
            let all = keys + shared
            guard !all.isEmpty else { return nil }
            return MappingKind(
                title: title ?? word, meaning: meaning,
                keys: all.map { ($0.name, $0.facts(blank)) },
                alternatives: alternatives, variants: nil, rules: rules)
        }
    }

    let name: String
    /// What a mistake calls the words.
    let noun: String
    let meaning: String
    /// Where the model keeps the word.
    let place: Member<Model, String>
    let variants: [Variant]

    var facts: KeyFacts { KeyFacts(.word(variants.map(\.word), noun: noun), .required, meaning) }

    func variant(_ word: String) -> Variant? { variants.first { $0.word == word } }

    /// The keys of every variant, each once.
    var names: [String] {
        variants.flatMap { ($0.keys + $0.shared).map(\.name) }.reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    /// What the JSON Schema and the manual say of the words.
    func told(_ blank: Model) -> Variants {
        Variants(
            key: name,
            all: variants.map {
                JobFiles.Variant(
                    word: $0.word, kind: $0.kind(blank), meaning: $0.meaning, context: $0.context)
            })
    }
}
