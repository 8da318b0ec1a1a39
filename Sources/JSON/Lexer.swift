import Basics

/// Reads what stands between the brackets and commas: strings, numbers, words, white space.
///
/// Each value becomes a node for the place `index` of the tape; nesting is the parser's.
struct Lexer {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The first byte that is not read yet.
    var position = 0

    private let numberBytes: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, numberBytes: Int) {
        self.bytes = bytes
        self.numberBytes = numberBytes
    }

    /// Reads a string from its opening to its closing quote, and proves its escapes and UTF-8.
    mutating func string(index: Int) throws(JSONError) -> TapeNode {
        let start = position
        var isEscaped = false
        var isStorable = true
        position += 1
        while true {
            skipPlain()
            guard position < bytes.count else {
                throw JSONError("document ends inside a string", at: position)
            }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                if try !escape() { isStorable = false }
            } else if byte >= 0x80 {
                try multibyte()
            } else {
                throw JSONError("control character in a string", at: position)
            }
        }
        position += 1
        var node = TapeNode(.string, start: start, end: position, index: index)
        node.isEscaped = isEscaped
        node.isUnstorable = !isStorable
        return node
    }

    /// Moves over ASCII that needs no look: eight bytes at a time, then one by one.
    private mutating func skipPlain() {
        guard let base = bytes.baseAddress else { return }
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        while position + 8 <= bytes.count {
            let eight = UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self)
            let quote = eight ^ (ones &* 0x22)
            let backslash = eight ^ (ones &* 0x5C)
            // A byte is zero, or below 0x20, exactly when subtracting borrows into its high bit.
            let special =
                (eight &- (ones &* 0x20)) | (quote &- ones) | (backslash &- ones) | eight
            if special & highs != 0 { break }
            position += 8
        }
        while position < bytes.count {
            let byte = bytes[position]
            if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { return }
            position += 1
        }
    }

    /// Reads one escape; false: it is NUL or half a surrogate pair, valid but no text.
    private mutating func escape() throws(JSONError) -> Bool {
        guard position + 1 < bytes.count else {
            throw JSONError("document ends inside a string", at: bytes.count)
        }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
            return true
        case UInt8(ascii: "u"):
            let unit = try codeUnit()
            if unit == 0 || UTF16.isTrailSurrogate(unit) { return false }
            guard UTF16.isLeadSurrogate(unit) else { return true }
            guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            else { return false }
            let second = position
            if UTF16.isTrailSurrogate(try codeUnit()) { return true }
            // Not its partner: read it again as an escape of its own.
            position = second
            return false
        default: throw JSONError("unknown escape in a string", at: position)
        }
    }

    /// Reads `\uXXXX` from its backslash.
    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        guard position + 6 <= bytes.count else {
            throw JSONError("escape \\u needs four hexadecimal digits", at: position)
        }
        var unit: UInt16 = 0
        for digit in bytes[(position + 2)..<(position + 6)] {
            guard let value = Hex.value(of: digit) else {
                throw JSONError("escape \\u needs four hexadecimal digits", at: position)
            }
            unit = unit << 4 | UInt16(value)
        }
        position += 6
        return unit
    }

    /// Moves over one character of two to four bytes (RFC 3629: no overlong form, no surrogate).
    private mutating func multibyte() throws(JSONError) {
        let lead = bytes[position]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw JSONError("invalid UTF-8", at: position)
        }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]),
            bytes[(position + 2)..<(position + length)].allSatisfy({ $0 & 0xC0 == 0x80 })
        else { throw JSONError("invalid UTF-8", at: position) }
        position += length
    }

    /// Reads a number; its text is kept, so its size is only bounded by the limit.
    mutating func number(index: Int) throws(JSONError) -> TapeNode {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        var isStorable = true
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count,
                bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
            {
                position += 1
            }
            let exponent = position
            try digits()
            isStorable = isModest(exponent: bytes[exponent..<position])
        }
        if position - start > numberBytes { isStorable = false }
        var node = TapeNode(.number, start: start, end: position, index: index)
        node.isUnstorable = !isStorable
        return node
    }

    /// Reads `true`, `false` or `null`.
    mutating func word(
        _ word: StaticString, _ kind: JSONKind, index: Int
    ) throws(JSONError) -> TapeNode {
        let start = position
        let end = start + word.utf8CodeUnitCount
        guard end <= bytes.count else { throw JSONError("expected a value", at: start) }
        for offset in start..<end where bytes[offset] != word.utf8Start[offset - start] {
            throw JSONError("expected a value", at: start)
        }
        position = end
        return TapeNode(kind, start: start, end: end, index: index)
    }

    /// Moves to the next byte that is no white space.
    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// Within what a double holds; `jsonb` would write out each zero of a greater one.
    private func isModest(exponent digits: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let plain = digits.drop { $0 == UInt8(ascii: "0") }
        return plain.count <= 3 && plain.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 308
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
        guard position > start else { throw JSONError("expected a digit", at: position) }
    }
}
