import Basics

// From the wire's binary format to Swift values; the type's oid decides, nothing is guessed.
extension ColumnValue {
    func bool() throws -> Bool {
        guard oid == TypeOID.bool, bytes.count == 1 else { throw mismatch("a boolean") }
        return bytes[0] != 0
    }

    func int() throws -> Int {
        switch oid {
        case TypeOID.int2: return Int(try integer(Int16.self))
        case TypeOID.int4: return Int(try integer(Int32.self))
        case TypeOID.int8: return Int(try integer(Int64.self))
        case TypeOID.oid, TypeOID.xid: return Int(try integer(UInt32.self))
        case TypeOID.xid8:
            guard let value = Int(exactly: try integer(UInt64.self)) else { break }
            return value
        case TypeOID.numeric:
            guard let value = Int(try numeric()) else { break }
            return value
        default: break
        }
        throw mismatch("an integer")
    }

    func double() throws -> Double {
        switch oid {
        case TypeOID.float8: return Double(bitPattern: try integer(UInt64.self))
        case TypeOID.float4: return Double(Float(bitPattern: try integer(UInt32.self)))
        case TypeOID.int2, TypeOID.int4, TypeOID.int8: return Double(try int())
        case TypeOID.numeric:
            guard let value = Double(try numeric()) else { break }
            return value
        default: break
        }
        throw mismatch("a number")
    }

    func text() throws -> String {
        switch oid {
        case TypeOID.text, TypeOID.varchar, TypeOID.bpchar, TypeOID.name, TypeOID.unknown,
            TypeOID.char, TypeOID.json:
            return String(decoding: bytes, as: UTF8.self)
        case TypeOID.jsonb: return try json()
        case TypeOID.numeric: return try numeric()
        default: throw mismatch("text")
        }
    }

    func json() throws -> String {
        switch oid {
        case TypeOID.json: return String(decoding: bytes, as: UTF8.self)
        case TypeOID.jsonb where bytes.first == 1:  // the format's version
            return String(decoding: bytes.dropFirst(), as: UTF8.self)
        default: throw mismatch("json")
        }
    }

    func bytesValue() throws -> [UInt8] {
        guard oid == TypeOID.bytea else { throw mismatch("bytea") }
        return Array(bytes)
    }

    func uuid() throws -> [UInt8] {
        guard oid == TypeOID.uuid, bytes.count == 16 else { throw mismatch("a uuid") }
        return Array(bytes)
    }

    func place() throws -> RowPlace {
        guard oid == TypeOID.tid, bytes.count == 6 else { throw mismatch("a tid") }
        return RowPlace(block: load(UInt32.self, at: 0), item: load(UInt16.self, at: 4))
    }

    func timestamp() throws -> Int64 {
        guard oid == TypeOID.timestamptz else { throw mismatch("a timestamptz") }
        let time = try integer(Int64.self)
        guard time != .max, time != .min else { return time }
        let (sum, overflow) = time.addingReportingOverflow(postgresEpochMicroseconds)
        guard !overflow else { throw mismatch("a time before the year 294247") }
        return sum
    }

    func interval() throws -> Int64 {
        guard oid == TypeOID.interval, bytes.count == 16 else { throw mismatch("an interval") }
        let days = Int64(load(Int32.self, at: 8)) + 30 * Int64(load(Int32.self, at: 12))
        let (span, tooLong) = days.multipliedReportingOverflow(by: 86_400_000_000)
        let (sum, overflow) = span.addingReportingOverflow(load(Int64.self, at: 0))
        guard !tooLong, !overflow else { throw mismatch("an interval under 292000 years") }
        return sum
    }

    func mismatch(_ expected: String) -> DatabaseError {
        DatabaseError(
            .decoding,
            "column \(column) is not \(expected): type \(oid), \(bytes.count) bytes")
    }

    func integer<I: FixedWidthInteger>(_ type: I.Type) throws -> I {
        guard bytes.count == MemoryLayout<I>.size else { throw mismatch("\(I.self)") }
        return load(type, at: 0)
    }

    func load<I: FixedWidthInteger>(_ type: I.Type, at offset: Int) -> I {
        I(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: I.self))
    }
}

extension ColumnValue {
    /// The elements of a one-dimensional array, nil for null.
    func array<T>(_ decode: (ColumnValue) throws -> T) throws -> [T?] {
        guard bytes.count >= 12 else { throw mismatch("an array") }
        let dimensions = load(Int32.self, at: 0)
        guard dimensions != 0 else { return [] }
        guard dimensions == 1, bytes.count >= 20 else {
            throw mismatch("an array of one dimension")
        }
        let element = load(UInt32.self, at: 8)
        var values: [T?] = []
        var offset = 20
        for _ in 0..<load(Int32.self, at: 12) {
            guard bytes.count >= offset + 4 else { throw mismatch("a whole array") }
            let length = Int(load(Int32.self, at: offset))
            offset += 4
            guard length >= 0 else {
                values.append(nil)
                continue
            }
            guard bytes.count >= offset + length else { throw mismatch("a whole array") }
            let value = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
            values.append(try decode(inner(value, element)))
            offset += length
        }
        return values
    }

    func arrayWithoutNulls<T>(_ decode: (ColumnValue) throws -> T) throws -> [T] {
        try array(decode).map {
            guard let value = $0 else { throw mismatch("an array without nulls") }
            return value
        }
    }

    /// A numeric's base-10000 digits as decimal text, with the scale the server would print.
    func numeric() throws -> String {
        guard oid == TypeOID.numeric, bytes.count >= 8 else { throw mismatch("a numeric") }
        let count = Int(load(Int16.self, at: 0))
        let weight = Int(load(Int16.self, at: 2))
        let scale = Int(load(Int16.self, at: 6))
        let sign = load(UInt16.self, at: 4)
        switch sign {
        case 0, 0x4000: break
        case 0xC000: return "NaN"
        case 0xD000: return "Infinity"
        case 0xF000: return "-Infinity"
        default: throw mismatch("a numeric")
        }
        guard bytes.count == 8 + 2 * count else { throw mismatch("a numeric") }
        func group(_ position: Int) -> String {
            guard position >= 0, position < count else { return "0000" }
            return zeroPadded(load(Int16.self, at: 8 + 2 * position), 4)
        }
        var whole = ""
        for position in 0..<max(0, weight + 1) { whole += group(position) }
        whole = String(whole.drop { $0 == "0" })
        var fraction = ""
        var position = weight + 1
        while fraction.count < scale {
            fraction += group(position)
            position += 1
        }
        let text = (whole.isEmpty ? "0" : whole) + (scale > 0 ? "." + fraction.prefix(scale) : "")
        return sign == 0x4000 ? "-" + text : text
    }
}
