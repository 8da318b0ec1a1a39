/// What the reading of one file has found so far; every reader reports here and goes on.
///
/// A reader that returns nil has reported why, so whoever gets nil keeps silent: one mistake, one
/// line.
final class NodeReading {
    let file: String
    /// The names a file declares; nil where they can't be known, so that nobody complains.
    var scope = FileScope()
    /// The placeholders met since somebody last took them, with the node that holds each.
    var uses: [PlaceholderUse] = []
    private var found: [Mistake] = []
    private var known: Set<String> = []

    init(file: String) { self.file = file }

    /// The mistakes by position.
    var mistakes: [Mistake] {
        found.sorted { ($0.line, $0.column, $0.message) < ($1.line, $1.column, $1.message) }
    }

    /// Reports a mistake, once: what `defaults` has wrong is met again in every entity.
    func add(_ position: Position, _ path: String, _ message: String, nearest: String? = nil) {
        guard known.insert("\(position.line):\(position.column):\(message)").inserted else {
            return
        }
        found.append(
            Mistake(
                file: file, line: position.line, column: position.column, path: path,
                message: oneLine(message), nearest: nearest))
    }

    /// Reports a mistake at a node, unless the node itself is one that was reported.
    func add(_ node: Node, _ message: String, nearest: String? = nil) {
        if case .refused = node.content { return }
        add(node.position, node.path, message, nearest: nearest)
    }

    /// Reports a word that is none of the known ones, with the nearest or all of them.
    func addUnknown(_ noun: String, _ word: String, known: [String], at node: Node) {
        let (hint, nearest) = suggestion(for: word, in: known)
        add(
            node, "unknown \(noun) \"\(excerpt(of: word))\"; \(hint)", nearest: nearest)
    }

    /// What to say after "unknown …;".
    func suggestion(for word: String, in known: [String]) -> (hint: String, nearest: String?) {
        if known.isEmpty { return ("none is defined in this file", nil) }
        if let nearest = nearestWord(to: word, in: known) {
            return ("did you mean \"\(nearest)\"?", nearest)
        }
        return (
            "expected \(known.count > 1 ? "one of " : "")\(known.prefix(20).joined(separator: ", "))",
            nil
        )
    }
}

/// Keeps whatever a file holds from breaking the line or the terminal it is shown on.
private func oneLine(_ text: String) -> String {
    // A message names a few words of the file; more than this is the file's text, not ours.
    let scalars = text.unicodeScalars.prefix(500).map { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: " "
        default: String(scalar)
        }
    }
    return scalars.joined()
}
