// Each throws `.decoding` naming the column when the value is null or of another type.
extension Row {
    /// A boolean.
    public func bool(_ column: Column) throws -> Bool { try require(column) { try $0.bool() } }

    /// A smallint, integer, bigint, oid or whole numeric.
    public func int(_ column: Column) throws -> Int { try require(column) { try $0.int() } }

    /// A real, double precision, numeric or integer.
    public func double(_ column: Column) throws -> Double {
        try require(column) { try $0.double() }
    }

    /// A text, varchar, name, json or jsonb; a numeric as decimal digits.
    public func text(_ column: Column) throws -> String { try require(column) { try $0.text() } }

    /// A json or jsonb value as JSON text.
    public func json(_ column: Column) throws -> String { try require(column) { try $0.json() } }

    /// A bytea.
    public func bytes(_ column: Column) throws -> [UInt8] {
        try require(column) { try $0.bytesValue() }
    }

    /// A uuid's sixteen bytes.
    public func uuid(_ column: Column) throws -> [UInt8] { try require(column) { try $0.uuid() } }

    /// A tid; nil means null.
    public func optionalPlace(_ column: Column) throws -> RowPlace? {
        try read(column) { try $0.place() }
    }

    /// A timestamptz in microseconds since 1970 UTC; infinities are `Int64.max` and `.min`.
    public func timestamp(_ column: Column) throws -> Int64 {
        try require(column) { try $0.timestamp() }
    }

    /// An interval in microseconds; a day is 24 hours and a month 30 days, as the server compares.
    public func interval(_ column: Column) throws -> Int64 {
        try require(column) { try $0.interval() }
    }

    /// A text[] of one dimension.
    public func textArray(_ column: Column) throws -> [String?] {
        try require(column) { try $0.array { try $0.text() } }
    }

    /// A smallint[], integer[] or bigint[] of one dimension without nulls.
    public func intArray(_ column: Column) throws -> [Int] {
        try require(column) { try $0.arrayWithoutNulls { try $0.int() } }
    }

    /// A double precision[] of one dimension without nulls.
    public func doubleArray(_ column: Column) throws -> [Double] {
        try require(column) { try $0.arrayWithoutNulls { try $0.double() } }
    }

    /// A boolean[] of one dimension without nulls.
    public func boolArray(_ column: Column) throws -> [Bool] {
        try require(column) { try $0.arrayWithoutNulls { try $0.bool() } }
    }

    /// A timestamptz[] of one dimension, each as `timestamp`.
    public func timestampArray(_ column: Column) throws -> [Int64?] {
        try require(column) { try $0.array { try $0.timestamp() } }
    }
}

// The same, with nil for null.
extension Row {
    /// As `int`, or nil.
    public func optionalInt(_ column: Column) throws -> Int? { try read(column) { try $0.int() } }

    /// As `double`, or nil.
    public func optionalDouble(_ column: Column) throws -> Double? {
        try read(column) { try $0.double() }
    }

    /// As `text`, or nil.
    public func optionalText(_ column: Column) throws -> String? {
        try read(column) { try $0.text() }
    }

    /// As `timestamp`, or nil.
    public func optionalTimestamp(_ column: Column) throws -> Int64? {
        try read(column) { try $0.timestamp() }
    }
}
