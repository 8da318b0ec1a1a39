/// Bytes proved to be one JSON value (RFC 8259), with an index of everything in them.
///
/// Strict: UTF-8, whatever mark stands before it, no trailing comma, no raw control character, no word
/// but `true`, `false` and `null`, nothing after the value. Accepted, because they are valid and
/// must not be lost: a NUL or half a surrogate pair as an escape and numbers of any size
/// (`JSONNode.isStorable` tells). A name that an object holds twice is accepted, and the last one is the one
/// that counts, as in PostgreSQL's `jsonb`.
public struct JSONDocument: Sendable {
    let storage: JSONStorage

    /// Reads the bytes once and keeps them; throws at the first one that breaks JSON or a limit.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        let tape = try bytes.withUnsafeBufferPointer {
            (buffer) throws(JSONError) -> [TapeNode] in
            var parser = Parser(buffer, limits: limits)
            return try parser.parse()
        }
        storage = JSONStorage(bytes: bytes, tape: tape)
    }

    /// The document's value.
    public var root: JSONNode { JSONNode(storage: storage, index: 0) }
}
