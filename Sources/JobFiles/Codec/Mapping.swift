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
    /// The key that decides which others there are; nil when all may be there.
    let choice: Choice<Model>?
    let alternatives: [String]
    let rules: [KeyRule]
    /// Reports what keys of one mapping say of each other.
    let check: @Sendable (Place, inout Model) -> Void

    /// Declares a kind of mapping.
    ///
    /// `oneOf`: keys of which exactly one must be there. `rules`: what an editor can check of what `check` reports.
    init(
        _ title: String, _ meaning: String, blank: Model, oneOf alternatives: [String] = [],
        rules: [KeyRule] = [], choice: Choice<Model>? = nil,
        @KeyList<Model> keys: () -> [Key<Model>] = { [] },
        check: @escaping @Sendable (Place, inout Model) -> Void = { _, _ in }
    ) {
        self.title = title
        self.meaning = meaning
        self.blank = blank
        self.keys = keys()
        self.choice = choice
        self.alternatives = alternatives
        self.rules = rules
        self.check = check
    }

    /// What the JSON Schema and the manual say of it.
    var kind: MappingKind {
        let deciding = choice.map { [($0.name, $0.facts)] } ?? []
        return MappingKind(
            title: title, meaning: meaning,
            keys: deciding + keys.map { ($0.name, $0.facts(blank)) },
            alternatives: alternatives, variants: choice?.told(blank), rules: rules)
    }

    var form: Form<Model> {
        Form(
            type: .keys { kind }, read: { read($0, $1) }, write: { .object(members(of: $0)) })
    }

    /// The keys of a value that need writing.
    func members(of model: Model) -> [JSONMember] {
        var members: [JSONMember] = []
        var written = keys
        if let choice {
            let word = model[keyPath: choice.place]
            members.append(JSONMember(choice.name, .string(word)))
            written = (choice.variant(word)?.keys ?? []) + keys
        }
        return members
            + written.compactMap { key in key.write(model).map { JSONMember(key.name, $0) } }
    }

    /// Returns nil when the mapping is unreadable, which was reported.
    ///
    /// `blank`: what holds without its keys, where that depends on the file.
    func read(_ node: Node, _ reading: NodeReading, from blank: Model? = nil) -> Model? {
        guard let entries = reading.entries(node) else { return nil }
        var model = blank ?? self.blank
        var all = keys
        var report = UnknownKeys(known: keys.map(\.name), variant: "", elsewhere: [])
        if let choice {
            guard let word = word(of: choice, node, entries, reading) else { return nil }
            model[keyPath: choice.place] = word
            all = (choice.variant(word)?.keys ?? []) + keys
            let known =
                [choice.name] + keys.map(\.name) + (choice.variant(word)?.keys ?? []).map(\.name)
            report = UnknownKeys(
                known: known, variant: "\(choice.name) \"\(word)\"",
                elsewhere: choice.names.filter { !known.contains($0) })
        }
        let excused = report.tell(entries, of: node, to: reading)
        var isReadable = true
        if !alternatives.isEmpty {
            isReadable = reading.hasOne(of: alternatives, in: node, excused: excused)
        }
        for key in all where !read(key, node, reading, excused, &model) { isReadable = false }
        guard isReadable else { return nil }
        check(Place(node, reading), &model)
        return model
    }

    private func word(
        of choice: Choice<Model>, _ node: Node, _ entries: [Node.Entry], _ reading: NodeReading
    ) -> String? {
        guard let value = node[choice.name] else {
            let names = [choice.name] + keys.map(\.name) + choice.names
            reading.addMissing(choice.name, in: entries, besides: names, of: node)
            return nil
        }
        return reading.choice(value, choice.noun, of: choice.variants.map(\.word))
    }

    /// Returns false when the mapping is unreadable for the lack of this key.
    private func read(
        _ key: Key<Model>, _ node: Node, _ reading: NodeReading, _ excused: Set<String>,
        _ model: inout Model
    ) -> Bool {
        if let value = node[key.name] {
            return key.read(value, reading, &model)
                || !(key.isRequired || alternatives.contains(key.name))
        }
        guard key.isRequired else { return true }
        if !excused.contains(key.name) { reading.add(node, "missing key \"\(key.name)\"") }
        return false
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
