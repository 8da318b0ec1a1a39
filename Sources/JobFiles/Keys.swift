/// One mapping's keys, checked against the ones its kind declares.
struct Keys<Known: KeySet> {
    let node: Node
    let reading: NodeReading
    /// Missing only because they were misspelt.
    private var excused: Set<String> = []

    /// Reports every key that is not declared; nil when the node is no mapping.
    ///
    /// `only` are those of the declared keys that this variant of the mapping has, and `variant` is
    /// its name: a key of another variant is told apart from one that nobody knows.
    init?(
        _ node: Node, _ reading: NodeReading, of _: Known.Type = Known.self,
        only: [Known] = Array(Known.allCases), variant: String = ""
    ) {
        let names = only.map(\.rawValue)
        self.init(
            node, reading, known: names, variant: variant,
            elsewhere: Known.names.filter { !names.contains($0) })
    }

    /// The same where the variant follows from whether there is a preset.
    init?(_ node: Node, _ reading: NodeReading, isPreset: Bool, variant: String) {
        self.init(
            node, reading, only: Known.allCases.filter { $0.key.context.fits(isPreset: isPreset) },
            variant: variant)
    }

    /// `known` are names of the declared keys and of those that a variant brings.
    init?(
        _ node: Node, _ reading: NodeReading, known: [String], variant: String, elsewhere: [String]
    ) {
        guard let entries = reading.entries(node) else { return nil }
        self.node = node
        self.reading = reading
        let report = UnknownKeys(known: known, variant: variant, elsewhere: elsewhere)
        excused = report.tell(entries, of: node, to: reading)
    }

    private init(_ node: Node, _ reading: NodeReading, excused: Set<String>) {
        self.node = node
        self.reading = reading
        self.excused = excused
    }

    /// The same mapping's keys of another declaration, which were checked with these.
    func and<Other: KeySet>(_: Other.Type) -> Keys<Other> {
        Keys<Other>(node, reading, excused: excused)
    }

    /// The key's value; nil when it is not there.
    subscript(key: Known) -> Node? { node[key.rawValue] }

    /// The key's value; reports when it is not there.
    func required(_ key: Known) -> Node? {
        if let value = self[key] { return value }
        if !excused.contains(key.rawValue) {
            reading.add(node, "missing key \"\(key.rawValue)\"")
        }
        return nil
    }

    /// The key's value; reports when it is declared to be required and not there.
    func value(_ key: Known) -> Node? {
        if case .required = key.key.need { return required(key) }
        return self[key]
    }

    /// The one of the declared alternatives that is there; reports when none or more are.
    func alternative() -> (key: Known, value: Node)? { exactlyOne(of: Known.alternatives) }

    /// The one key of several that is there; reports when none or more are.
    func exactlyOne(of keys: [Known]) -> (key: Known, value: Node)? {
        let present = keys.compactMap { key in self[key].map { (key: key, value: $0) } }
        let words = keys.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        guard let first = present.first else {
            if excused.isDisjoint(with: keys.map(\.rawValue)) {
                reading.add(node, "missing key \(words)")
            }
            return nil
        }
        guard present.count == 1 else {
            reading.add(
                present[1].value,
                "expected either \(words), not \(keys.count > 2 ? "several" : "both")")
            return nil
        }
        return first
    }
}

/// What is said of keys that a mapping has and its kind has not.
struct UnknownKeys {
    let known: [String]
    let variant: String
    let elsewhere: [String]

    /// Of one mapping so many unknown keys are told one by one; a suggestion looks at every word.
    private static let unknownMax = 20

    /// Returns the keys that were probably meant.
    func tell(_ entries: [Node.Entry], of node: Node, to reading: NodeReading) -> Set<String> {
        var excused: Set<String> = []
        let present = Set(entries.map(\.key))
        let unknown = entries.filter { !known.contains($0.key) }
        if let first = unknown.dropFirst(Self.unknownMax).first {
            let more = unknown.count - Self.unknownMax
            reading.add(first.position, node.path, "\(more) more unknown keys")
        }
        for entry in unknown.prefix(Self.unknownMax) {
            let key = excerpt(of: entry.key)
            let message: String
            var nearest: String?
            if elsewhere.contains(key) {
                message = "\"\(key)\" is no key of \(variant)"
            } else {
                let missing = known.filter { !present.contains($0) }
                let suggestion = reading.suggestion(for: key, in: known)
                nearest = nearestWord(to: key, in: missing) ?? suggestion.nearest
                let hint = nearest.map { "did you mean \"\($0)\"?" } ?? suggestion.hint
                message = "unknown key \"\(key)\"; \(hint)"
                if let nearest { excused.insert(nearest) }
            }
            reading.add(entry.position, entry.value.path, message, nearest: nearest)
        }
        return excused
    }
}
