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
        /// What an editor can check besides.
        let rules: [KeyRule]
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
        variants.flatMap { $0.keys.map(\.name) }.reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    /// What the JSON Schema and the manual say of the words.
    func told(_ blank: Model) -> Variants {
        Variants(
            key: name,
            all: variants.map { variant in
                var kind: MappingKind?
                if !variant.keys.isEmpty {
                    kind = MappingKind(
                        title: variant.word, meaning: variant.meaning,
                        keys: variant.keys.map { ($0.name, $0.facts(blank)) }, alternatives: [],
                        variants: nil, rules: variant.rules)
                }
                return grammarVariant(variant, kind)
            })
    }

    private func grammarVariant(_ variant: Variant, _ kind: MappingKind?) -> JobFiles.Variant {
        JobFiles.Variant(variant.word, kind, variant.meaning, in: variant.context)
    }
}

extension Mapping {
    /// A word of a choice and the keys that it brings.
    static func word(
        _ word: String, _ meaning: String, in context: KeyFacts.Context = .anywhere,
        rules: [KeyRule] = [], @KeyList<Model> keys: () -> [Key<Model>] = { [] }
    ) -> Choice<Model>.Variant {
        Choice<Model>.Variant(
            word: word, meaning: meaning, context: context, keys: keys(), rules: rules)
    }
}
