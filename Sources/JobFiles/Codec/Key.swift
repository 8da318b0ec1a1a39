import JSON

/// Where a model keeps a value.
typealias Member<Model, Value> = any WritableKeyPath<Model, Value> & Sendable

/// A key of a mapping: the only place that says what it is called, what its value must be, where the model keeps it, and
/// what it means.
struct Key<Model: Sendable>: Sendable {
    let name: String
    let type: ValueType
    /// What its value must be with a preset, where that is another.
    let presetType: ValueType?
    let meaning: String
    /// Whether it may be left out; a default is what the blank model has.
    var need: @Sendable (_ blank: Model) -> KeyFacts.Need
    /// Where the mapping has it.
    var context = KeyFacts.Context.anywhere
    /// The version of jobrunner that brought it.
    var since = "0.1"
    /// Puts the value into the model, or leaves it as it is and reports why.
    let read: @Sendable (Node, Place, inout Model) -> Bool
    /// Returns nil when the model has nothing that needs writing.
    var write: @Sendable (Model) -> JSONValue?

    /// What the JSON Schema and the manual say of it.
    func facts(_ blank: Model) -> KeyFacts {
        KeyFacts(type, need(blank), meaning, in: context, withPreset: presetType, since: since)
    }

    /// The mapping says nothing without it.
    func isRequired(isPreset: Bool, _ blank: Model) -> Bool {
        switch need(blank) {
        case .required: context.fits(isPreset: isPreset)
        case .requiredWithoutPreset: !isPreset
        case .requiredWithPreset: isPreset
        case .optional, .default: false
        }
    }
}

/// What a key may be besides.
extension Key {
    /// A mapping has it only there.
    func only(_ context: KeyFacts.Context) -> Key {
        var key = self
        key.context = context
        return key
    }

    /// Whether it may be left out is this.
    func needed(_ need: KeyFacts.Need) -> Key {
        var key = self
        key.need = { _ in need }
        return key
    }

    /// With a preset it may be left out.
    func unlessPreset() -> Key {
        needed(.requiredWithoutPreset)
    }

    /// It is written only where this holds.
    func when(_ holds: @escaping @Sendable (Model) -> Bool) -> Key {
        var key = self
        key.write = { [write] model in holds(model) ? write(model) : nil }
        return key
    }

    /// The key of a larger model that has this one at the place.
    func lifted<Outer: Sendable>(to place: Member<Outer, Model>) -> Key<Outer> {
        Key<Outer>(
            name: name, type: type, presetType: presetType, meaning: meaning,
            need: { [need] in need($0[keyPath: place]) }, context: context, since: since,
            read: { [read] in read($0, $1, &$2[keyPath: place]) },
            write: { [write] in write($0[keyPath: place]) })
    }
}

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
        key.need = { .default(form.write($0[keyPath: place])?.plainText ?? "") }
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
            need: { _ in need },
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
            need: { _ in .optional(without) },
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
            need: { _ in need },
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

/// The keys of a mapping, one after the other; each is checked by itself, which keeps the compiler quick.
@resultBuilder enum KeyList<Model: Sendable> {
    static func buildExpression(_ key: Key<Model>) -> [Key<Model>] { [key] }
    static func buildExpression(_ keys: [Key<Model>]) -> [Key<Model>] { keys }
    static func buildBlock(_ keys: [Key<Model>]...) -> [Key<Model>] { keys.flatMap(\.self) }
}
