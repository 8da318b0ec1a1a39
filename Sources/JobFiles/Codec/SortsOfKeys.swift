import JSON

/// The sorts of keys, as a mapping declares them.
extension Mapping {
    /// A key without which the mapping says nothing.
    static func required<Value>(
        _ name: String, _ place: Member<Model, Value>, _ form: Form<Value>, _ meaning: String
    ) -> Key<Model> {
        key(name, place, form, .required, meaning)
    }

    /// A key without which the model keeps what the blank one has; the manual shows that.
    static func standard<Value>(
        _ name: String, _ place: Member<Model, Value>, _ form: Form<Value>, _ meaning: String
    ) -> Key<Model> {
        var key = key(name, place, form, .optional(nil), meaning)
        key.standard = { form.write($0[keyPath: place])?.plainText ?? "" }
        return key
    }

    /// A key without which the model keeps what the blank one has, such as an empty list.
    ///
    /// `without` tells what holds then; nil when there is nothing that needs saying.
    static func usual<Value>(
        _ name: String, _ place: Member<Model, Value>, _ form: Form<Value>,
        without: String? = nil, _ meaning: String
    ) -> Key<Model> {
        key(name, place, form, .optional(without), meaning)
    }

    /// A key without which the model has no such value.
    static func optional<Value>(
        _ name: String, _ place: Member<Model, Value?>, _ form: Form<Value>,
        without: String? = nil, standard: String? = nil, _ meaning: String
    ) -> Key<Model> {
        let need = standard.map { KeyFacts.Need.default($0) } ?? .optional(without)
        return key(name, place, form.optional, need, meaning)
    }

    /// One of several keys that stand for the cases of an enumeration; `take` returns nil for the other cases.
    static func one<Case: Sendable, Value>(
        _ name: String, _ place: Member<Model, Case>, _ form: Form<Value>,
        _ make: @escaping @Sendable (Value) -> Case, _ take: @escaping @Sendable (Case) -> Value?,
        without: String? = nil, _ meaning: String
    ) -> Key<Model> {
        let caseForm = Form<Case>(
            type: form.type, presetType: form.presetType,
            read: { form.read($0, $1).map(make) }, write: { take($0).flatMap(form.write) })
        return key(name, place, caseForm, .optional(without), meaning)
    }

    /// A key whose mapping is about the model itself.
    static func part(
        _ name: String, _ mapping: Mapping<Model>, _ need: KeyFacts.Need, _ meaning: String
    ) -> Key<Model> {
        Key<Model>(
            name: name, type: mapping.form.type, presetType: nil, meaning: meaning,
            need: need,
            read: { node, place, model in
                guard let read = mapping.read(node, place.reading, from: model) else {
                    return false
                }
                model = read
                return true
            }, write: { mapping.form.write($0) })
    }

    /// A key whose value depends on others of the mapping, which stand before it; `read` returns nil when it has
    /// reported a mistake.
    static func dependent<Value>(
        _ name: String, _ place: Member<Model, Value>, _ type: ValueType,
        read: @escaping @Sendable (Node, Place, Model) -> Value?,
        write: @escaping @Sendable (Value) -> JSONValue?, without: String? = nil, _ meaning: String
    ) -> Key<Model> {
        Key<Model>(
            name: name, type: type, presetType: nil, meaning: meaning,
            need: .optional(without),
            read: { node, mapping, model in
                guard let value = read(node, mapping, model) else { return false }
                model[keyPath: place] = value
                return true
            }, write: { write($0[keyPath: place]) })
    }

    private static func key<Value>(
        _ name: String, _ place: Member<Model, Value>, _ form: Form<Value>,
        _ need: KeyFacts.Need, _ meaning: String
    ) -> Key<Model> {
        Key<Model>(
            name: name, type: form.type, presetType: form.presetType, meaning: meaning,
            need: need,
            read: { node, mapping, model in
                guard let value = form.read(node, mapping.reading) else { return false }
                model[keyPath: place] = value
                return true
            }, write: { form.write($0[keyPath: place]) })
    }
}

extension JSONValue {
    /// As a file would write a scalar.
    fileprivate var plainText: String { string ?? text }
}

extension Mapping {
    /// A word of a choice and the keys that it brings.
    static func word(
        _ word: String, _ meaning: String, in context: KeyFacts.Context = .anywhere,
        oneOf alternatives: [String] = [], rules: [KeyRule] = [], title: String? = nil,
        shared: [Key<Model>] = [], @KeyList<Model> keys: () -> [Key<Model>] = { [] }
    ) -> Choice<Model>.Variant {
        Choice<Model>.Variant(
            word: word, meaning: meaning, context: context, keys: keys(), shared: shared,
            rules: rules, alternatives: alternatives, title: title)
    }
}
