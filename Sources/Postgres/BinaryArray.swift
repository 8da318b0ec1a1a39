/// An array bind that is built value by value in the wire's own format.
///
/// A page's values go from where they were read into the message, without one Swift value each.
public struct BinaryArray: Sendable, Equatable {
    /// What its values are.
    public enum Element: Sendable, Equatable {
        case text, timestamptz, int8, double, bool
    }

    /// What its values are.
    public let element: Element
    /// Each value after its length, as on the wire; a null is the length -1.
    private(set) var bytes: [UInt8] = []
    /// Where each value's length stands.
    private var starts: [Int] = []

    /// An empty array.
    public init(_ element: Element) {
        self.element = element
    }

    /// How many values and nulls it holds.
    public var count: Int { starts.count }

    /// Makes room for so many values of so many bytes in all.
    public mutating func reserve(count: Int, bytes byteCount: Int) {
        starts.reserveCapacity(count)
        bytes.reserveCapacity(byteCount + 4 * count)
    }

    /// Adds a null.
    public mutating func appendNull() {
        starts.append(bytes.count)
        bytes.appendBigEndian(Int32(-1))
    }

    /// Adds a text that is known to be UTF-8.
    public mutating func append(utf8 text: UnsafeBufferPointer<UInt8>) {
        starts.append(bytes.count)
        bytes.appendBigEndian(Int32(clamping: text.count))
        bytes.append(contentsOf: text)
    }

    /// Adds the text that `write` appends, which must be UTF-8 and leave what is there.
    public mutating func appendText(_ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        starts.append(start)
        bytes.appendBigEndian(Int32(0))
        write(&bytes)
        let length = Int32(clamping: bytes.count - start - 4)
        for byte in 0..<4 {
            bytes[start + byte] = UInt8(truncatingIfNeeded: length >> (24 - 8 * Int32(byte)))
        }
    }

    /// Adds a text.
    public mutating func append(_ text: String) {
        appendText { $0.append(contentsOf: text.utf8) }
    }

    /// Adds a whole number.
    public mutating func append(int8 value: Int64) { append(word: UInt64(bitPattern: value)) }

    /// Adds a number.
    public mutating func append(double value: Double) { append(word: value.bitPattern) }

    /// Adds a time in microseconds since 1970; one that PostgreSQL can't hold becomes the nearest.
    public mutating func append(timestamptz microseconds: Int64) {
        let (time, isOver) = microseconds.subtractingReportingOverflow(postgresEpochMicroseconds)
        append(word: UInt64(bitPattern: isOver ? .min + 1 : time))
    }

    /// Adds true or false.
    public mutating func append(bool value: Bool) {
        starts.append(bytes.count)
        bytes.appendBigEndian(Int32(1))
        bytes.append(value ? 1 : 0)
    }

    /// Drops the values from the given place on.
    public mutating func removeLast(downTo count: Int) {
        guard count < starts.count else { return }
        bytes.removeLast(bytes.count - starts[count])
        starts.removeLast(starts.count - count)
    }

    /// Lends the bytes of a value as the wire has them; nil when it is null.
    public func withValue<R>(at index: Int, _ body: (UnsafeRawBufferPointer?) -> R) -> R {
        let start = starts[index] + 4
        let end = index + 1 < starts.count ? starts[index + 1] : bytes.count
        return bytes.withUnsafeBytes { all in
            // A null's length is -1: four bytes that no text of less than 4 GB has.
            all[start - 4] == 0xFF
                ? body(nil) : body(UnsafeRawBufferPointer(rebasing: all[start..<end]))
        }
    }

    /// A whole number, a time since 2000 or a double's bits; nil means null, or no value of eight bytes.
    func word(at index: Int) -> UInt64? {
        withValue(at: index) { value in
            guard let value, value.count == 8 else { return nil }
            return UInt64(bigEndian: value.loadUnaligned(as: UInt64.self))
        }
    }

    /// The text at a place; nil for null.
    public func text(at index: Int) -> String? {
        withValue(at: index) { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    /// The whole number at a place; nil for null.
    public func int8(at index: Int) -> Int64? { word(at: index).map { Int64(bitPattern: $0) } }

    /// The number at a place; nil for null.
    public func double(at index: Int) -> Double? { word(at: index).map { Double(bitPattern: $0) } }

    /// The time at a place, microseconds since 1970; nil for null.
    public func timestamptz(at index: Int) -> Int64? {
        word(at: index).map { Int64(bitPattern: $0) &+ postgresEpochMicroseconds }
    }

    /// True or false at a place; nil for null.
    public func bool(at index: Int) -> Bool? {
        withValue(at: index) { $0.map { $0.first == 1 } }
    }

    /// The values at those places, in their order.
    public func keeping(_ indexes: some Sequence<Int>) -> BinaryArray {
        var kept = BinaryArray(element)
        for index in indexes {
            let start = starts[index]
            let end = index + 1 < starts.count ? starts[index + 1] : bytes.count
            kept.starts.append(kept.bytes.count)
            kept.bytes.append(contentsOf: bytes[start..<end])
        }
        return kept
    }

    private mutating func append(word: UInt64) {
        starts.append(bytes.count)
        bytes.appendBigEndian(Int32(8))
        bytes.appendBigEndian(word)
    }
}

extension BinaryArray {
    var oid: UInt32 {
        switch element {
        case .text: TypeOID.textArray
        case .timestamptz: TypeOID.timestamptzArray
        case .int8: TypeOID.int8Array
        case .double: TypeOID.float8Array
        case .bool: TypeOID.boolArray
        }
    }

    private var elementOID: UInt32 {
        switch element {
        case .text: TypeOID.text
        case .timestamptz: TypeOID.timestamptz
        case .int8: TypeOID.int8
        case .double: TypeOID.float8
        case .bool: TypeOID.bool
        }
    }

    /// Bytes that `append(to:)` adds, at most.
    var encodedCount: Int { bytes.count + 20 }

    func append(to out: inout [UInt8]) {
        out.appendArrayHeader(count: count, elementOID)
        out.append(contentsOf: bytes)
    }
}
