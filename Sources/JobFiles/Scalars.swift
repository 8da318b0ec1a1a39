import JSON

/// A value's type comes from its key: each reader takes a node and says what it must be.
extension NodeReading {
    /// The elements of a list.
    func list(_ node: Node) -> [Node]? {
        guard case .sequence(let elements) = node.content else {
            add(node, "expected a list, found \(node.words)")
            return nil
        }
        return elements
    }

    /// The elements of a list that must not be empty.
    func filledList(_ node: Node) -> [Node]? {
        guard let elements = list(node) else { return nil }
        if elements.isEmpty { add(node, "expected at least one element") }
        return elements.isEmpty ? nil : elements
    }

    /// The entries of a mapping.
    func entries(_ node: Node) -> [Node.Entry]? {
        guard case .mapping(let entries) = node.content else {
            add(node, "expected a mapping, found \(node.words)")
            return nil
        }
        return entries
    }

    /// Any scalar, however it looks: `no`, `012` and `1e3` are texts here.
    func text(_ node: Node) -> String? {
        guard case .scalar(let text, let isPlain) = node.content, !(isPlain && text.isEmpty) else {
            add(node, "expected a text, found \(node.words)")
            return nil
        }
        guard !text.utf8.contains(0) else {
            add(node, "a text must not hold NUL")
            return nil
        }
        return text
    }

    /// A whole number within bounds.
    func int(_ node: Node, _ bounds: ClosedRange<Int>) -> Int? {
        guard let text = number(node, "a whole number") else { return nil }
        guard let value = Int(text) else {
            add(node, "expected a whole number, found \(text)")
            return nil
        }
        guard bounds.contains(value) else {
            let words =
                bounds.lowerBound == bounds.upperBound
                ? "\(bounds.lowerBound)"
                : bounds.upperBound == .max
                    ? "\(bounds.lowerBound) or more"
                    : "\(bounds.lowerBound) to \(bounds.upperBound)"
            add(node, "expected \(words), found \(value)")
            return nil
        }
        return value
    }

    /// A number within bounds.
    func double(_ node: Node, _ bounds: ClosedRange<Double>) -> Double? {
        guard let text = number(node, "a number") else { return nil }
        guard let value = Double(text), bounds.contains(value) else {
            add(
                node,
                "expected \(words(bounds.lowerBound)) to \(words(bounds.upperBound)), found \(text)"
            )
            return nil
        }
        return value
    }

    private func words(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// A number as written, by JSON's grammar; `noun` says what was expected.
    func number(_ node: Node, _ noun: String) -> String? {
        guard case .scalar(let text, let isPlain) = node.content, isPlain, isJSONNumber(text) else {
            add(node, "expected \(noun), found \(node.words)\(quotes(node, isJSONNumber))")
            return nil
        }
        return text
    }

    /// `true` or `false`.
    func bool(_ node: Node) -> Bool? {
        guard case .scalar(let text, true) = node.content, let value = Bool(text) else {
            add(
                node,
                "expected true or false, found \(node.words)\(quotes(node) { Bool($0) != nil })")
            return nil
        }
        return value
    }

    private func quotes(_ node: Node, _ isRight: (String) -> Bool) -> String {
        guard case .scalar(let text, false) = node.content, isRight(text) else { return "" }
        return "; write it without quotes"
    }

    /// A span of time within bounds.
    func duration(_ node: Node, _ bounds: ClosedRange<Duration>) -> Duration? {
        guard case .scalar(let text, _) = node.content, let value = Duration(jobFile: text) else {
            var nearest: String?
            if case .scalar(let text, _) = node.content, Duration(jobFile: text + "s") != nil {
                nearest = text + "s"
            }
            let hint = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
            add(
                node, "expected a duration such as \"30s\" or \"2.5m\", found \(node.words)\(hint)",
                nearest: nearest)
            return nil
        }
        guard bounds.contains(value) else {
            let (least, most) = (bounds.lowerBound.jobFileText, bounds.upperBound.jobFileText)
            add(node, "expected \(least) to \(most), found \(value.jobFileText)")
            return nil
        }
        return value
    }

    /// One of an enumeration's words.
    func word<Word: RawRepresentable<String> & CaseIterable>(
        _ node: Node, _ noun: String, as _: Word.Type
    ) -> Word? {
        choice(node, noun, of: Word.allCases.map(\.rawValue)).flatMap { Word(rawValue: $0) }
    }

    /// One of some words.
    func choice(_ node: Node, _ noun: String, of words: [String]) -> String? {
        guard let text = text(node) else { return nil }
        if words.contains(text) { return text }
        addUnknown(noun, text, known: words, at: node)
        return nil
    }

    /// A name that may become a table, a column or a word of the file.
    func name(_ node: Node) -> String? {
        guard let text = text(node) else { return nil }
        return isName(text, at: node.position, node.path) ? text : nil
    }

    /// Reports a name that is none; for keys, which have a position but no node.
    func isName(_ text: String, at position: Position, _ path: String) -> Bool {
        if isNameText(text) { return true }
        add(position, path, "\"\(excerpt(of: text))\" is no name, expected one \(nameRule)")
        return false
    }

    /// A path into a document; `toOne`: it must lead to one value, not through an array.
    func path(_ node: Node, toOne: Bool) -> Path? {
        guard let text = text(node) else { return nil }
        do throws(FormatError) {
            let path = try Path(parsing: text)
            guard toOne, path.hasEach else { return path }
            add(node, "\"\(excerpt(of: text))\" leads to many values, expected a path without []")
        } catch {
            add(node, error.message)
        }
        return nil
    }

    /// A path that must lead somewhere inside the document; `toOne`: not through an array.
    func innerPath(_ node: Node, toOne: Bool = true) -> Path? {
        guard let path = path(node, toOne: toOne) else { return nil }
        if path.steps.isEmpty { add(node, "expected a path such as a.b, found an empty one") }
        return path.steps.isEmpty ? nil : path
    }

    /// The name of an HTTP header field that is ours to set.
    func headerName(_ text: String, at position: Position, _ path: String) -> Bool {
        guard isToken(text) else {
            add(position, path, "\"\(excerpt(of: text))\" is no name of a header field")
            return false
        }
        let reserved = [
            "host", "content-length", "transfer-encoding", "connection", "te", "upgrade",
        ]
        if reserved.contains(text.lowercased()) {
            add(position, path, "header \(text) is set by the client and can't be given here")
            return false
        }
        return true
    }

    /// A JSON value: quoted is text; plain is `null`, true, false or a number if it looks like it.
    func json(_ node: Node) -> JSONValue? {
        switch node.content {
        case .refused: return nil
        case .sequence(let elements): return .array(elements.compactMap { json($0) })
        case .mapping(let entries):
            return .object(
                entries.compactMap { entry in json(entry.value).map { JSONMember(entry.key, $0) } })
        case .scalar(_, let isPlain):
            guard let text = text(node) else { return nil }
            if !isPlain { return .string(text) }
            if text == "null" { return .null }
            if let bool = Bool(text) { return .bool(bool) }
            return isJSONNumber(text) ? .number(text) : .string(text)
        }
    }
}

/// True for what JSON calls a number: no leading zero, no plus, no `.5`.
public func isJSONNumber(_ text: String) -> Bool {
    guard let first = text.utf8.first, isDigit(first) || first == UInt8(ascii: "-") else {
        return false
    }
    return (try? JSONDocument(parsing: Array(text.utf8)))?.root.kind == .number
        && text.utf8.allSatisfy { $0 > 0x20 }
}
