import JSON

/// Reads a path's steps from the front of its text.
struct PathScanner {
    private let text: String
    private var rest: Substring

    init(_ text: String) {
        self.text = text
        rest = text[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next step; a dot stands before every name but the first and those in brackets.
    mutating func step(isFirst: Bool) throws(FormatError) -> Path.Step {
        if take("[]") { return .each }
        if rest.hasPrefix("[\"") { return .member(try quotedName()) }
        if rest.hasPrefix("[") { return try element() }
        guard isFirst || take(".") else { throw error }
        return .member(try plainName())
    }

    /// A name can be written without brackets and quotes; one of digits alone looks like a place in a list.
    static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.unicodeScalars.allSatisfy(isPlain) && !isNumber(name)
    }

    private static func isNumber(_ name: String) -> Bool {
        name.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// `[rel=next]`: the element of a list whose member has a value.
    private mutating func element() throws(FormatError) -> Path.Step {
        let inner = rest.dropFirst().prefix { $0 != "]" && $0 != "[" }
        let name = inner.prefix { $0 != "=" }
        let value = inner.dropFirst(name.count + 1)
        guard rest.dropFirst(inner.count + 1).hasPrefix("]"), Self.isPlain(String(name)),
            !value.isEmpty, !value.contains("\"")
        else { throw error }
        rest = rest.dropFirst(inner.count + 2)
        return .element(String(name), String(value))
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x20 && !".[]{}\"'`\\".unicodeScalars.contains(scalar)
    }

    private mutating func plainName() throws(FormatError) -> String {
        let name = String(rest.prefix { $0 != "." && $0 != "[" })
        // Such a member has nothing inside: the names of OData hold the dot themselves.
        guard name != "@odata" || !rest.dropFirst(name.count).hasPrefix(".") else {
            throw FormatError(
                "\"\(text)\" has a name with a dot; write it as [\"@odata.nextLink\"]")
        }
        guard !Self.isNumber(name) || name.isEmpty else {
            throw FormatError(
                "\"\(text)\" counts in a list; name the element by one of its values, such as links[rel=next], or "
                    + "write [\"\(name)\"] for a member of that name")
        }
        guard Self.isPlain(name) else { throw error }
        rest = rest.dropFirst(name.count)
        return name
    }

    /// A name in brackets and quotes is what JSON makes of it, so that any can be written.
    private mutating func quotedName() throws(FormatError) -> String {
        var isEscaped = false
        let inner = rest.dropFirst(2)
        let end = inner.firstIndex { character in
            defer { isEscaped = character == "\\" && !isEscaped }
            return character == "\"" && !isEscaped
        }
        guard let end, inner[end...].hasPrefix("\"]") else { throw error }
        let written = "\"\(inner[..<end])\""
        guard let name = try? JSONDocument(parsing: Array(written.utf8)).root.string, !name.isEmpty
        else { throw error }
        rest = inner[end...].dropFirst(2)
        return name
    }

    private mutating func take(_ mark: String) -> Bool {
        guard rest.hasPrefix(mark) else { return false }
        rest = rest.dropFirst(mark.count)
        return true
    }

    private var error: FormatError {
        FormatError(
            "\"\(text)\" is no path, expected names joined by dots, such as a.b or a[]; "
                + "other names stand in quotes, such as [\"a.b\"]")
    }
}
