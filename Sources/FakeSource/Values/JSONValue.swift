/// A small JSON document: a registration or a control command.
enum JSONValue: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    /// A whole number that a double can't hold.
    case integer(Int64)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Deeper documents are refused, so that recursion can't exhaust the stack.
    static let depthMax = 64

    static func parse(_ bytes: [UInt8]) throws(BadRequest) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.at == bytes.count else { throw parser.wrong("nothing more") }
        return value
    }
}

private struct JSONParser {
    let bytes: [UInt8]
    var at = 0

    func wrong(_ expected: String) -> BadRequest {
        BadRequest("body is not JSON: expected \(expected) at byte \(at)")
    }

    var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

    mutating func skipSpace() {
        while let byte, byte == 32 || (byte >= 9 && byte <= 13) { at += 1 }
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard byte == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    mutating func value(depth: Int) throws(BadRequest) -> JSONValue {
        guard depth < JSONValue.depthMax else { throw wrong("less nesting") }
        skipSpace()
        switch byte {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    mutating func word(_ word: String, _ value: JSONValue) throws(BadRequest) -> JSONValue {
        guard bytes[at...].starts(with: word.utf8) else { throw wrong(word) }
        at += word.utf8.count
        return value
    }

    mutating func number() throws(BadRequest) -> JSONValue {
        let start = at
        while let byte, "+-.eE0123456789".utf8.contains(byte) { at += 1 }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        guard let number = Double(text), number.isFinite else {
            at = start
            throw wrong("a value")
        }
        if let whole = Int64(text), Int64(exactly: number) != whole { return .integer(whole) }
        return .number(number)
    }

    mutating func array(depth: Int) throws(BadRequest) -> JSONValue {
        at += 1
        var items: [JSONValue] = []
        if skip("]") { return .array(items) }
        repeat { items.append(try value(depth: depth + 1)) } while skip(",")
        guard skip("]") else { throw wrong("',' or ']'") }
        return .array(items)
    }

    mutating func object(depth: Int) throws(BadRequest) -> JSONValue {
        at += 1
        var members: [String: JSONValue] = [:]
        if skip("}") { return .object(members) }
        repeat {
            skipSpace()
            guard byte == UInt8(ascii: "\"") else { throw wrong("a key") }
            let key = try string()
            guard skip(":") else { throw wrong("':'") }
            members[key] = try value(depth: depth + 1)
        } while skip(",")
        guard skip("}") else { throw wrong("',' or '}'") }
        return .object(members)
    }

    mutating func string() throws(BadRequest) -> String {
        at += 1
        var text: [UInt8] = []
        while let byte {
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            default: text.append(byte)
            }
        }
        throw wrong("the end of a string")
    }

    mutating func escape(into text: inout [UInt8]) throws(BadRequest) {
        guard let letter = byte else { throw wrong("an escape") }
        at += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "u"):
            var unit = try hexUnit()
            if (0xD800..<0xDC00).contains(unit), bytes[at...].starts(with: "\\u".utf8) {
                at += 2
                let low = try hexUnit()
                let isPair = (0xDC00..<0xE000).contains(low)
                unit = isPair ? 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD
            }
            let scalar = Unicode.Scalar(unit) ?? "\u{FFFD}"
            text.append(contentsOf: String(Character(scalar)).utf8)
        default: throw wrong("an escape")
        }
    }

    mutating func hexUnit() throws(BadRequest) -> UInt32 {
        guard at + 4 <= bytes.count else { throw wrong("four hex digits") }
        let digits = String(decoding: bytes[at..<(at + 4)], as: UTF8.self)
        guard let unit = UInt32(digits, radix: 16) else { throw wrong("four hex digits") }
        at += 4
        return unit
    }
}
