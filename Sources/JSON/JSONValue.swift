/// A JSON value that a program builds or holds; numbers keep their source text.
public indirect enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The number as written, so that a 30-digit integer survives.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// Members in their order.
    case object([JSONMember])
}

/// One name and value of a JSON object.
public struct JSONMember: Sendable, Equatable {
    /// Unique in a well-made object.
    public var name: String
    /// What the name stands for.
    public var value: JSONValue

    /// Pairs a name with its value.
    public init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }
}
