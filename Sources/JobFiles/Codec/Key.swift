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
    /// Whether it may be left out.
    var need: KeyFacts.Need
    /// What holds without it, as a file would write it, where that is what the blank model has.
    var standard: (@Sendable (_ blank: Model) -> String)?
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
        let need = standard.map { KeyFacts.Need.default($0(blank)) } ?? need
        return KeyFacts(type, need, meaning, in: context, withPreset: presetType, since: since)
    }

    /// The mapping says nothing without it.
    func isRequired(isPreset: Bool) -> Bool {
        switch need {
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
        key.need = need
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
        var outer = Key<Outer>(
            name: name, type: type, presetType: presetType, meaning: meaning, need: need,
            context: context, since: since,
            read: { [read] in read($0, $1, &$2[keyPath: place]) },
            write: { [write] in write($0[keyPath: place]) })
        if let standard { outer.standard = { standard($0[keyPath: place]) } }
        return outer
    }
}

/// The keys of a mapping, one after the other; each is checked by itself, which keeps the compiler quick.
@resultBuilder enum KeyList<Model: Sendable> {
    static func buildExpression(_ key: Key<Model>) -> [Key<Model>] { [key] }
    static func buildExpression(_ keys: [Key<Model>]) -> [Key<Model>] { keys }
    static func buildBlock(_ keys: [Key<Model>]...) -> [Key<Model>] { keys.flatMap(\.self) }
}
