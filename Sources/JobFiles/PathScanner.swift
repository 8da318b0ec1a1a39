import JSON

/// Reads a path's steps from the front of its text, by scalars: beside a combining mark a quote is no Character.
struct PathScanner {
    private let text: String
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
        self.text = text
        rest = text[...].unicodeScalars
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next step; a dot stands before every name but the first and those in brackets.
    mutating func step(isFirst: Bool) throws(FormatError) -> Path.Step {
        if take("[]") { return .each }
        if stands("[\"") { return .member(try quotedName()) }
        if stands("[") { return try element() }
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
        guard rest.dropFirst(inner.count + 1).first == "]", Self.isPlain(String(name)),
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
        guard name != "@odata" || rest.dropFirst(name.unicodeScalars.count).first != "." else {
            throw FormatError(
                "\"\(text)\" has a name with a dot; write it as [\"@odata.nextLink\"]")
        }
        guard !Self.isNumber(name) || name.isEmpty else {
            throw FormatError(
                "\"\(text)\" counts in a list; name the element by one of its values, such as links[rel=next], or "
                    + "write [\"\(name)\"] for a member of that name")
        }
        guard Self.isPlain(name) else { throw error }
        rest = rest.dropFirst(name.unicodeScalars.count)
        return name
    }

    /// A name in brackets and quotes is what JSON makes of it, so that any can be written.
    private mutating func quotedName() throws(FormatError) -> String {
        var isEscaped = false
        let inner = rest.dropFirst(2)
        let end = inner.firstIndex { scalar in
            defer { isEscaped = scalar == "\\" && !isEscaped }
            return scalar == "\"" && !isEscaped
        }
        guard let end, inner[end...].starts(with: "\"]".unicodeScalars) else { throw error }
        let written = "\"\(String(inner[..<end]))\""
        guard let name = try? JSONDocument(parsing: Array(written.utf8)).root.string, !name.isEmpty
        else { throw error }
        rest = inner[end...].dropFirst(2)
        return name
    }

    private mutating func take(_ mark: String) -> Bool {
        guard stands(mark) else { return false }
        rest = rest.dropFirst(mark.unicodeScalars.count)
        return true
    }

    private func stands(_ mark: String) -> Bool { rest.starts(with: mark.unicodeScalars) }

    private var error: FormatError {
        FormatError(
            "\"\(text)\" is no path, expected names joined by dots, such as a.b or a[]; "
                + "other names stand in quotes, such as [\"a.b\"]")
    }
}
