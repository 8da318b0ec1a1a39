/// A value for `$n`, sent in binary with its type, so that the server neither guesses nor truncates.
///
/// Text with a NUL byte is refused by the server (22021).
public enum Bind: Sendable, Equatable {
    /// Null of whatever type the statement infers.
    case null
    case bool(Bool)
    case int4(Int32)
    case int8(Int64)
    case double(Double)
    case text(String)
    case bytes([UInt8])
    /// Microseconds since 1970-01-01 UTC; `Int64.max` and `.min` are infinity and -infinity.
    case timestamptz(Int64)
    /// A span in microseconds.
    case interval(Int64)
    /// Sixteen bytes.
    case uuid([UInt8])
    /// A `jsonb` value as JSON text.
    case json(String)
    case textArray([String?])
    case int4Array([Int32])
    case int8Array([Int64])
    case optionalInt8Array([Int64?])
    case doubleArray([Double?])
    case boolArray([Bool?])
    /// As `timestamptz`, null allowed.
    case timestamptzArray([Int64?])
    /// Each sixteen bytes.
    case uuidArray([[UInt8]])
    case tidArray([RowPlace])
    /// An array that stands in the wire's format already.
    case array(BinaryArray)

    /// An `int8` from a Swift integer.
    public static func int(_ value: Int) -> Bind { .int8(Int64(value)) }

    /// The bind that `make` gives for a value, or null: `.optional(name, Bind.text)`.
    public static func optional<T>(_ value: T?, _ make: (T) -> Bind) -> Bind {
        value.map(make) ?? .null
    }
}
