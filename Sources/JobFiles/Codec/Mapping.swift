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
    /// Which of the keys such a mapping of the file has; nil when all.
    let only: OnlyKeys?
    /// Reports what keys of one mapping say of each other.
    let check: @Sendable (Place, inout Model) -> Void

    /// Declares a kind of mapping.
    ///
    /// `oneOf`: keys of which exactly one must be there. `rules`: what an editor can check of what `check` reports.
    /// `only`: which of the keys a mapping of the file has.
    init(
        _ title: String, _ meaning: String, blank: Model, oneOf alternatives: [String] = [],
        rules: [KeyRule] = [], choice: Choice<Model>? = nil,
        only: OnlyKeys? = nil,
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
        self.only = only
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
            type: .keys { kind }, read: { read($0, $1) }, write: written)
    }

    /// As a file writes it.
    @Sendable func written(_ model: Model) -> JSONValue { .object(members(of: model)) }

    /// The keys of a value that need writing.
    func members(of model: Model) -> [JSONMember] {
        var members: [JSONMember] = []
        var written = keys
        if let choice {
            let word = model[keyPath: choice.place]
            let variant = choice.variant(word)
            members.append(JSONMember(choice.name, .string(word)))
            written = (variant?.keys ?? []) + keys + (variant?.shared ?? [])
        }
        return members
            + written.compactMap { key in key.write(model).map { JSONMember(key.name, $0) } }
    }

    /// Returns nil when the mapping is unreadable, which was reported.
    ///
    /// `blank`: what holds without its keys, where that depends on the file.
    func read(_ node: Node, _ reading: NodeReading, from blank: Model? = nil) -> Model? {
        guard var parts = readParts(node, reading, from: blank), parts.isReadable else {
            return nil
        }
        check(Place(node, reading), &parts.model)
        return parts.model
    }

    /// What could be read of a mapping, before its keys are compared; nil when it is none.
    func readParts(_ node: Node, _ reading: NodeReading, from blank: Model? = nil) -> Parts<Model>?
    {
        guard let entries = reading.entries(node) else { return nil }
        let place = Place(node, reading)
        var parts = Parts(model: blank ?? self.blank)
        var keys = keys
        var needed = alternatives
        let allowed = allowed(at: place)
        var report = UnknownKeys(
            known: allowed.names, variant: allowed.noun, elsewhere: keys.map(\.name))
        if let choice {
            guard let word = word(of: choice, node, entries, reading) else { return nil }
            let variant = choice.variant(word)
            parts.model[keyPath: choice.place] = word
            keys = (variant?.keys ?? []) + keys + (variant?.shared ?? [])
            needed += variant?.alternatives ?? []
            report = UnknownKeys(
                known: [choice.name] + keys.map(\.name), variant: "\(choice.name) \"\(word)\"",
                elsewhere: choice.names)
        }
        let excused = report.tell(entries, of: node, to: reading)
        let isPreset = reading.scope.isPreset
        let foreign = keys.filter { !$0.context.fits(isPreset: isPreset) }.map(\.name)
        // What does not belong here was told already, and says what was meant to be here.
        if needed.contains(where: { foreign.contains($0) && node[$0] != nil }) { needed = [] }
        needed.removeAll(where: foreign.contains)
        if !needed.isEmpty, !reading.hasOne(of: needed, in: node, excused: excused) {
            parts.wrong.formUnion(needed)
            parts.isReadable = false
            keys.removeAll { needed.contains($0.name) }
        }
        for key in keys where report.known.contains(key.name) {
            let isRequired = key.isRequired(isPreset: isPreset)
            if let value = node[key.name] {
                if key.read(value, place, &parts.model) { continue }
                parts.wrong.insert(key.name)
                if isRequired || needed.contains(key.name) { parts.isReadable = false }
            } else if isRequired {
                if !excused.contains(key.name) {
                    reading.add(node, "missing key \"\(key.name)\"")
                }
                parts.wrong.insert(key.name)
                parts.isReadable = false
            }
        }
        return parts
    }

    private func allowed(at place: Place) -> (noun: String, names: [String]) {
        switch only {
        case nil: return ("", keys.map(\.name))
        case .these(let choose): return choose(place)
        case .byPreset(let without, let with):
            let isPreset = place.scope.isPreset
            return (
                isPreset ? with : without,
                keys.filter { $0.context.fits(isPreset: isPreset) }.map(\.name)
            )
        }
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
}

/// What could be read of a mapping.
struct Parts<Model: Sendable> {
    var model: Model
    /// The keys that are wrong, or missing though they are required; the model has their blank values.
    var wrong: Set<String> = []
    /// No required key is among them.
    var isReadable = true
}

/// Which of its keys a mapping of the file has, and what a mistake calls such a mapping.
enum OnlyKeys: Sendable {
    case these(@Sendable (Place) -> (noun: String, names: [String]))
    /// Those that fit where there is a preset, or where there is none.
    case byPreset(without: String, with: String)
}
