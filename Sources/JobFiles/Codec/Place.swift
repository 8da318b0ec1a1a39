/// A mapping of the file, for what its keys say of each other.
struct Place {
    let node: Node
    let reading: NodeReading

    init(_ node: Node, _ reading: NodeReading) {
        self.node = node
        self.reading = reading
    }

    var scope: FileScope { reading.scope }

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
