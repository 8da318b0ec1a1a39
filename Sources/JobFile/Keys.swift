/// The keys of one mapping, checked against the ones its schema has.
struct Keys {
    let node: Node
    let reading: Reading
    /// Missing only because they were misspelt.
    private var excused: Set<String> = []

    /// Of one mapping so many unknown keys are told one by one; a suggestion looks at every word.
    private static let unknownMax = 20

    /// Reports every key that is not among `known`; nil when the node is no mapping.
    ///
    /// `elsewhere` are keys that another variant of the mapping has, `variant` is this one's name.
    init?(
        _ node: Node, _ reading: Reading, known: [String], variant: String = "",
        elsewhere: [String] = []
    ) {
        guard let entries = reading.entries(node) else { return nil }
        self.node = node
        self.reading = reading
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
    }

    /// The key's value; nil when it is not there.
    subscript(key: String) -> Node? { node[key] }

    /// The key's value; reports when it is not there.
    func required(_ key: String) -> Node? {
        if let value = node[key] { return value }
        if !excused.contains(key) { reading.add(node, "missing key \"\(key)\"") }
        return nil
    }

    /// The one key of several that is there; reports when none or more are.
    func exactlyOne(of keys: [String]) -> (key: String, value: Node)? {
        let present = keys.compactMap { key in node[key].map { (key: key, value: $0) } }
        let words = keys.map { "\"\($0)\"" }.joined(separator: " or ")
        guard let first = present.first else {
            if excused.isDisjoint(with: keys) {
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
