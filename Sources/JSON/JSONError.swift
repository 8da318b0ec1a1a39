/// Why some bytes are not JSON, or are JSON beyond the limits; never quotes the bytes themselves.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was expected, or which limit was passed.
    public var message: String
    /// Where in the bytes, counted from zero.
    public var offset: Int

    /// Says what is wrong at which byte.
    public init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }

    /// One line for people: what, and at which byte.
    public var description: String { "\(message) at byte \(offset)" }
}

/// What a document may hold at most; a hostile page must not cost more than its bytes.
public struct JSONLimits: Sendable, Equatable {
    /// Arrays and objects inside each other; at most `depthMax`.
    public var depth: Int
    /// Bytes of a number that a column may keep; a longer one is not `isStorable`.
    public var numberBytes: Int
    /// Values and names of members, of which each takes 16 bytes beside its own.
    public var nodes: Int

    /// Bounds the recursion of whoever walks a document.
    public static let depthMax = 512

    /// The limits of a page: depth 512, a million values.
    ///
    /// A string and a number may be as long as the document: what is skipped costs nobody, and what is stored has limits
    /// where it is stored.
    public init(depth: Int = Self.depthMax, nodes: Int = 1_000_000, numberBytes: Int = 64) {
        self.nodes = nodes
        self.numberBytes = numberBytes
        self.depth = min(depth, Self.depthMax)
    }
}
