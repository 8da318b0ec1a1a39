import JSON

/// Shorthand for what is written.
extension JSONValue {
    /// An object of the members that have a value.
    static func members(_ members: (String, JSONValue?)...) -> JSONValue {
        .object(members.compactMap { name, value in value.map { JSONMember(name, $0) } })
    }

    /// An object, or nothing when it would be empty.
    static func named(_ members: [(String, JSONValue)]) -> JSONValue? {
        members.isEmpty ? nil : .object(members.map { JSONMember($0, $1) })
    }

    /// An array, or nothing when it would be empty.
    static func filled(_ elements: [JSONValue]) -> JSONValue? {
        elements.isEmpty ? nil : .array(elements)
    }

    static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    static func span(_ span: Duration) -> JSONValue { .string(span.jobFileText) }

    static func text(_ text: some CustomStringConvertible) -> JSONValue {
        .string(text.description)
    }

    /// The shortest text that reads back as the same number.
    static func double(_ value: Double) -> JSONValue {
        Int(exactly: value).map { .integer($0) } ?? .number("\(value)")
    }
}
