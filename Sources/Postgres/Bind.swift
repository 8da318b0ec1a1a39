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
    case bytesArray([[UInt8]?])
    /// As `timestamptz`, null allowed.
    case timestamptzArray([Int64?])
    case rowPlaceArray([RowPlace])
    /// Each sixteen bytes.
    case uuidArray([[UInt8]])
    /// A `jsonb[]` of JSON texts.
    case jsonArray([String?])
    /// An array that stands in the wire's format already.
    case array(BinaryArray)

    /// An `int8` from a Swift integer.
    public static func int(_ value: Int) -> Bind { .int8(Int64(value)) }

    /// The bind that `make` gives for a value, or null: `.optional(name, Bind.text)`.
    public static func optional<T>(_ value: T?, _ make: (T) -> Bind) -> Bind {
        value.map(make) ?? .null
    }
}

/// Where a version of a row stands in its table (`ctid`), as long as nobody changes the row.
public struct RowPlace: Sendable, Hashable {
    /// Number of the block, then sixteen bits of the place in it.
    public var number: UInt64

    /// From the block's number and the place in it, as they stand in `number`.
    public init(_ number: UInt64) { self.number = number }
}

/// The object identifiers of the types that this library speaks in binary (`pg_type.oid`).
enum TypeOID {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let char: UInt32 = 18
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let oid: UInt32 = 26
    static let tid: UInt32 = 27
    static let xid: UInt32 = 28
    static let json: UInt32 = 114
    static let float4: UInt32 = 700
    static let float8: UInt32 = 701
    static let unknown: UInt32 = 705
    static let boolArray: UInt32 = 1000
    static let byteaArray: UInt32 = 1001
    static let int4Array: UInt32 = 1007
    static let textArray: UInt32 = 1009
    static let tidArray: UInt32 = 1010
    static let int8Array: UInt32 = 1016
    static let float8Array: UInt32 = 1022
    static let bpchar: UInt32 = 1042
    static let varchar: UInt32 = 1043
    static let timestamptz: UInt32 = 1184
    static let timestamptzArray: UInt32 = 1185
    static let interval: UInt32 = 1186
    static let numeric: UInt32 = 1700
    static let uuid: UInt32 = 2950
    static let uuidArray: UInt32 = 2951
    static let jsonb: UInt32 = 3802
    static let jsonbArray: UInt32 = 3807
    static let xid8: UInt32 = 5069
}
