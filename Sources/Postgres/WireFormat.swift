// What the binary format of all values has in common.

/// Microseconds between 1970-01-01, where Swift's callers count from, and PostgreSQL's 2000-01-01.
let postgresEpochMicroseconds: Int64 = 946_684_800_000_000

extension [UInt8] {
    /// Appends an integer with its most significant byte first.
    mutating func appendBigEndian<I: FixedWidthInteger>(_ value: I) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Dimensions, null flag, element type, length, lower bound; nothing follows in an empty array.
    mutating func appendArrayHeader(count: Int, _ element: UInt32) {
        guard count > 0 else {
            appendBigEndian(Int64(0))
            appendBigEndian(element)
            return
        }
        appendBigEndian(Int32(1))
        appendBigEndian(Int32(1))
        appendBigEndian(element)
        appendBigEndian(Int32(clamping: count))
        appendBigEndian(Int32(1))
    }
}
