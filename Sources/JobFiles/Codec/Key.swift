import JSON

/// Where a model keeps a value.
typealias Member<Model, Value> = any WritableKeyPath<Model, Value> & Sendable

/// A key of a mapping: the only place that says what it is called, what its value must be, where the model keeps it, and
/// what it means.
struct Key<Model: Sendable>: Sendable {
    let name: String
    let isRequired: Bool
    /// What the JSON Schema and the manual say of it; a default is what the blank model has.
    let facts: @Sendable (_ blank: Model) -> KeyFacts
    /// Puts the value into the model, or leaves it as it is and reports why.
    let read: @Sendable (Node, NodeReading, inout Model) -> Bool
    /// Returns nil when the model has nothing that needs writing.
    let write: @Sendable (Model) -> JSONValue?
}

/// The sorts of keys, as a mapping declares them.
extension Mapping {
    /// A key without which the mapping says nothing.
    static func required<Value>(
        _ name: String, _ place: Member<Model, Value>, _ form: Form<Value>,
        _ meaning: String, since: String = "0.1"
    ) -> Key<Model> {
        Key<Model>(
            name: name, isRequired: true,
            facts: { _ in KeyFacts(form.type, .required, meaning, since: since) },
            read: reader(place, form), write: { form.write($0[keyPath: place]) })
    }

    /// A key without which the model keeps what the blank one has; the manual shows that.
    ///
    /// `when`: it is written only where this holds.
    static func standard<Value>(
        _ name: String, _ place: Member<Model, Value>, _ form: Form<Value>,
        _ meaning: String, when: @escaping @Sendable (Model) -> Bool = { _ in true },
        since: String = "0.1"
    ) -> Key<Model> {
        Key<Model>(
            name: name, isRequired: false,
            facts: { blank in
                let text = form.write(blank[keyPath: place])?.plainText ?? ""
                return KeyFacts(form.type, .default(text), meaning, since: since)
            },
            read: reader(place, form),
            write: { when($0) ? form.write($0[keyPath: place]) : nil })
    }

    /// A key without which the model keeps what the blank one has, such as an empty list.
    ///
    /// `without` tells what holds then; nil when there is nothing that needs saying.
    static func usual<Value>(
        _ name: String, _ place: Member<Model, Value>, _ form: Form<Value>,
        without: String? = nil, _ meaning: String,
        when: @escaping @Sendable (Model) -> Bool = { _ in true }, since: String = "0.1"
    ) -> Key<Model> {
        Key<Model>(
            name: name, isRequired: false,
            facts: { _ in KeyFacts(form.type, .optional(without), meaning, since: since) },
            read: reader(place, form),
            write: { when($0) ? form.write($0[keyPath: place]) : nil })
    }

    /// A key without which the model has no such value.
    static func optional<Value>(
        _ name: String, _ place: Member<Model, Value?>, _ form: Form<Value>,
        without: String? = nil, standard: String? = nil, _ meaning: String,
        since: String = "0.1"
    ) -> Key<Model> {
        Key<Model>(
            name: name, isRequired: false,
            facts: { _ in
                let need = standard.map { KeyFacts.Need.default($0) } ?? .optional(without)
                return KeyFacts(form.type, need, meaning, since: since)
            },
            read: { node, reading, model in
                guard let value = form.read(node, reading) else { return false }
                model[keyPath: place] = value
                return true
            }, write: { $0[keyPath: place].flatMap(form.write) })
    }

    private static func reader<Value>(
        _ place: Member<Model, Value>, _ form: Form<Value>
    ) -> @Sendable (Node, NodeReading, inout Model) -> Bool {
        { node, reading, model in
            guard let value = form.read(node, reading) else { return false }
            model[keyPath: place] = value
            return true
        }
    }
}

extension JSONValue {
    /// As a file would write a scalar.
    fileprivate var plainText: String { string ?? text }
}

/// The keys of a mapping, one after the other; each is checked by itself, which keeps the compiler quick.
@resultBuilder enum KeyList<Model: Sendable> {
    static func buildExpression(_ key: Key<Model>) -> Key<Model> { key }
    static func buildBlock(_ keys: Key<Model>...) -> [Key<Model>] { keys }
}
