/// One statement's binds in the wire's binary format, laid end to end.
struct EncodedBinds {
    private(set) var oids: [UInt32] = []
    private(set) var bytes: [UInt8] = []
    /// Start and length of each value; nil for null.
    private(set) var spans: [Range<Int>?] = []

    /// Throws `.misuse` for what no server would take: a uuid not of 16 bytes, a time out of range.
    init(_ binds: [Bind]) throws {
        oids.reserveCapacity(binds.count)
        spans.reserveCapacity(binds.count)
        bytes.reserveCapacity(
            binds.reduce(64 * binds.count) { sum, bind in
                if case .array(let array) = bind { sum + array.encodedCount } else { sum }
            })
        for bind in binds {
            oids.append(bind.oid)
            if case .null = bind {
                spans.append(nil)
                continue
            }
            let start = bytes.count
            try bind.append(to: &bytes)
            spans.append(start..<bytes.count)
        }
        // One spare byte, so that an empty value at the end still has an address: nil means null.
        bytes.append(0)
    }
}

extension Bind {
    /// The type it is sent as; 0 lets the server infer.
    var oid: UInt32 {
        switch self {
        case .null: 0
        case .bool: TypeOID.bool
        case .int4: TypeOID.int4
        case .int8: TypeOID.int8
        case .double: TypeOID.float8
        case .text: TypeOID.text
        case .bytes: TypeOID.bytea
        case .timestamptz: TypeOID.timestamptz
        case .interval: TypeOID.interval
        case .uuid: TypeOID.uuid
        case .json: TypeOID.jsonb
        case .textArray: TypeOID.textArray
        case .int4Array: TypeOID.int4Array
        case .int8Array, .optionalInt8Array: TypeOID.int8Array
        case .doubleArray: TypeOID.float8Array
        case .boolArray: TypeOID.boolArray
        case .timestamptzArray: TypeOID.timestamptzArray
        case .uuidArray: TypeOID.uuidArray
        case .tidArray: TypeOID.tidArray
        case .array(let array): array.oid
        }
    }

    func append(to out: inout [UInt8]) throws {
        switch self {
        case .null: break
        case .bool(let value): out.append(value ? 1 : 0)
        case .int4(let value): out.appendBigEndian(value)
        case .int8(let value): out.appendBigEndian(value)
        case .double(let value): out.appendBigEndian(value.bitPattern)
        case .text(let value): out.append(contentsOf: value.utf8)
        case .bytes(let value): out.append(contentsOf: value)
        case .timestamptz(let value): out.appendBigEndian(try postgresTime(value))
        case .interval(let value):
            out.appendBigEndian(value)
            out.appendBigEndian(Int64(0))  // days and months
        case .uuid(let value): try out.appendUUID(value)
        case .json(let value): out.appendJSONB(value)
        default: try appendArray(to: &out)
        }
    }

    private func appendArray(to out: inout [UInt8]) throws {
        switch self {
        case .textArray(let values):
            try out.appendArray(values, TypeOID.text) { $0.append(contentsOf: $1.utf8) }
        case .int4Array(let values):
            try out.appendArray(values, TypeOID.int4) { $0.appendBigEndian($1) }
        case .int8Array(let values):
            try out.appendArray(values, TypeOID.int8) { $0.appendBigEndian($1) }
        case .optionalInt8Array(let values):
            try out.appendArray(values, TypeOID.int8) { $0.appendBigEndian($1) }
        case .doubleArray(let values):
            try out.appendArray(values, TypeOID.float8) { $0.appendBigEndian($1.bitPattern) }
        case .boolArray(let values):
            try out.appendArray(values, TypeOID.bool) { $0.append($1 ? 1 : 0) }
        case .timestamptzArray(let values):
            try out.appendArray(values, TypeOID.timestamptz) {
                $0.appendBigEndian(try postgresTime($1))
            }
        case .uuidArray(let values):
            try out.appendArray(values, TypeOID.uuid) { try $0.appendUUID($1) }
        case .tidArray(let values):
            try out.appendArray(values, TypeOID.tid) {
                $0.appendBigEndian($1.block)
                $0.appendBigEndian($1.item)
            }
        case .array(let array): array.append(to: &out)
        default: break
        }
    }
}

private func postgresTime(_ unixMicroseconds: Int64) throws -> Int64 {
    guard unixMicroseconds != .max, unixMicroseconds != .min else { return unixMicroseconds }
    let (time, overflow) = unixMicroseconds.subtractingReportingOverflow(postgresEpochMicroseconds)
    guard !overflow else { throw DatabaseError(.misuse, "a timestamptz bind is out of range") }
    return time
}

extension [UInt8] {
    fileprivate mutating func appendUUID(_ value: [UInt8]) throws {
        guard value.count == 16 else {
            throw DatabaseError(.misuse, "a uuid bind has \(value.count) bytes, not 16")
        }
        append(contentsOf: value)
    }

    /// The version byte 1, then the text.
    fileprivate mutating func appendJSONB(_ value: String) {
        append(1)
        append(contentsOf: value.utf8)
    }

    /// The header, then each value after its length.
    fileprivate mutating func appendArray<T>(
        _ values: [T?], _ element: UInt32, _ append: (inout [UInt8], T) throws -> Void
    ) throws {
        appendArrayHeader(count: values.count, element)
        for value in values {
            guard let value else {
                appendBigEndian(Int32(-1))
                continue
            }
            let lengthAt = count
            appendBigEndian(Int32(0))
            try append(&self, value)
            let length = Int32(clamping: count - lengthAt - 4)
            for byte in 0..<4 {
                self[lengthAt + byte] = UInt8(truncatingIfNeeded: length >> (24 - 8 * Int32(byte)))
            }
        }
    }
}
