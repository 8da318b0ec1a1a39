import JSON

/// One kind of mapping: its keys, and the value that has none of them.
///
/// What a key that may be left out has wrong is reported, and the model keeps what the blank one has; a mapping is
/// unreadable only where a required key is missing or wrong. So that one mistake is one line, whoever gets no model
/// keeps silent.
struct Mapping<Model: Sendable>: Sendable {
    let title: String
    let meaning: String
    let blank: Model
    let keys: [Key<Model>]
    let alternatives: [String]
    let rules: [KeyRule]
    /// Reports what keys of one mapping say of each other.
    let check: @Sendable (Place, inout Model) -> Void

    /// Declares a kind of mapping.
    ///
    /// `oneOf`: keys of which exactly one must be there. `rules`: what an editor can check of what `check` reports.
    init(
        _ title: String, _ meaning: String, blank: Model, oneOf alternatives: [String] = [],
        rules: [KeyRule] = [], @KeyList<Model> keys: () -> [Key<Model>],
        check: @escaping @Sendable (Place, inout Model) -> Void = { _, _ in }
    ) {
        self.title = title
        self.meaning = meaning
        self.blank = blank
        self.keys = keys()
        self.alternatives = alternatives
        self.rules = rules
        self.check = check
    }

    /// What the JSON Schema and the manual say of it.
    var kind: MappingKind {
        MappingKind(
            title: title, meaning: meaning, keys: keys.map { ($0.name, $0.facts(blank)) },
            alternatives: alternatives, variants: nil, rules: rules)
    }

    var form: Form<Model> {
        Form(
            type: .keys { kind }, read: { read($0, $1) }, write: { .object(members(of: $0)) })
    }

    /// The keys of a value that need writing.
    func members(of model: Model) -> [JSONMember] {
        keys.compactMap { key in key.write(model).map { JSONMember(key.name, $0) } }
    }

    /// Returns nil when the mapping is unreadable, which was reported.
    ///
    /// `blank`: what holds without its keys, where that depends on the file.
    func read(_ node: Node, _ reading: NodeReading, from blank: Model? = nil) -> Model? {
        guard let entries = reading.entries(node) else { return nil }
        let report = UnknownKeys(known: keys.map(\.name), variant: "", elsewhere: [])
        let excused = report.tell(entries, of: node, to: reading)
        var isReadable = true
        if !alternatives.isEmpty {
            isReadable = reading.hasOne(of: alternatives, in: node, excused: excused)
        }
        var model = blank ?? self.blank
        for key in keys {
            if let value = node[key.name] {
                if !key.read(value, reading, &model),
                    key.isRequired || alternatives.contains(key.name)
                {
                    isReadable = false
                }
            } else if key.isRequired {
                if !excused.contains(key.name) { reading.add(node, "missing key \"\(key.name)\"") }
                isReadable = false
            }
        }
        guard isReadable else { return nil }
        check(Place(node, reading), &model)
        return model
    }
}

/// A mapping of the file, for what its keys say of each other.
struct Place {
    let node: Node
    let reading: NodeReading

    init(_ node: Node, _ reading: NodeReading) {
        self.node = node
        self.reading = reading
    }

    /// The key is there.
    func has(_ key: String) -> Bool { node[key] != nil }

    /// The mapping at a key; nil when the key is not there.
    subscript(_ key: String) -> Place? { node[key].map { Place($0, reading) } }

    /// Reports a mistake at a key's value, if it is there.
    func report(ifThere key: String, _ message: String) {
        if let value = node[key] { reading.add(value, message) }
    }

    /// Reports elements of a list whose values at a key are those of an earlier one.
    func reportTwins(_ key: String, of list: String) {
        var known: Set<String> = []
        for element in node[list]?.elements ?? [] {
            guard let value = element[key], let text = value.scalarText else { continue }
            if !known.insert(text).inserted {
                reading.add(value, "\(key) \"\(excerpt(of: text))\" appears twice")
            }
        }
    }

    /// Reports a mistake at a key's value; at the mapping itself where the key is not there.
    func report(_ key: String, _ message: String, nearest: String? = nil) {
        reading.add(node[key] ?? node, message, nearest: nearest)
    }
}

extension NodeReading {
    /// Whether exactly one of the keys is there; reports when none or more are.
    func hasOne(of names: [String], in node: Node, excused: Set<String>) -> Bool {
        let present = names.compactMap { node[$0] }
        let words = names.map { "\"\($0)\"" }.joined(separator: " or ")
        if present.isEmpty {
            if excused.isDisjoint(with: names) { add(node, "missing key \(words)") }
            return false
        }
        guard present.count == 1 else {
            add(present[1], "expected either \(words), not \(names.count > 2 ? "several" : "both")")
            return false
        }
        return true
    }
}
