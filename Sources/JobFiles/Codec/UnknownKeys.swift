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

extension NodeReading {
    /// Reports the key as missing, or one that was probably meant to be it.
    func addMissing(
        _ key: String, in entries: [Node.Entry], besides known: [String], of node: Node
    ) {
        let misspelt = entries.first { entry in
            !known.contains(entry.key) && nearestWord(to: entry.key, in: [key]) != nil
        }
        guard let misspelt else { return add(node, "missing key \"\(key)\"") }
        add(
            misspelt.position, misspelt.value.path,
            "unknown key \"\(excerpt(of: misspelt.key))\"; did you mean \"\(key)\"?", nearest: key)
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
