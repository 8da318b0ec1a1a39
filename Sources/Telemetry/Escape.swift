import Basics

/// How a text may write one byte by others.
enum Escape: CaseIterable {
    /// `%2F`, and `%u00e9` as old browsers have it.
    case percent
    /// The same, and `+` for a space.
    case form
    /// `\"`, `\/`, `\n`, `\u00e9`, surrogate pairs, `\x2f`, `\u{2f}`, and octal `\057`.
    case backslash
    /// `&sol;`, `&#47;`, `&#x2f;`.
    case entity
    /// `=2F`, and a line that goes on in the next one.
    case quoted

    /// What an escape means, and how long it is; without bytes: nothing, or what the text's end cuts off.
    struct Unit {
        var bytes: [UInt8]
        var length: Int
    }

    /// Whether an escape may begin with the byte.
    func opens(_ byte: UInt8) -> Bool {
        switch self {
        case .percent: byte == UInt8(ascii: "%")
        case .form: byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+")
        case .backslash: byte == UInt8(ascii: "\\")
        case .entity: byte == UInt8(ascii: "&")
        case .quoted: byte == UInt8(ascii: "=")
        }
    }

    /// The escape that begins at a place; nil where none does.
    func unit(of text: [UInt8], at start: Int) -> Unit? {
        var reader = EscapeReader(text, at: start + 1)
        let meant: [UInt8]? =
            switch self {
            case .percent: reader.percent()
            case .form:
                text[start] == UInt8(ascii: "+") ? [UInt8(ascii: " ")] : reader.percent()
            case .backslash: reader.backslash()
            case .entity: reader.entity()
            case .quoted: reader.quoted()
            }
        if let meant { return Unit(bytes: meant, length: reader.position - start) }
        return reader.isCut ? Unit(bytes: [], length: text.count - start) : nil
    }
}

/// Reads what stands behind the byte that opens an escape.
struct EscapeReader {
    /// Longest number: leading zeros may be many.
    private static let digitsMax = 12
    private static let nameBytesMax = 8

    private let text: [UInt8]
    private(set) var position: Int
    /// The text ended before the escape did.
    private(set) var isCut = false

    init(_ text: [UInt8], at position: Int) {
        self.text = text
        self.position = position
    }

    mutating func percent() -> [UInt8]? {
        if take("u") { return scalar(hex(4)) }
        return hex(2).map { [UInt8($0)] }
    }

    mutating func quoted() -> [UInt8]? {
        if take("\n") { return [] }
        if take("\r") { return take("\n") ? [] : nil }
        return hex(2).map { [UInt8($0)] }
    }

    mutating func backslash() -> [UInt8]? {
        guard let byte = next() else { return nil }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return [byte]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "x"): return hex(2).map { [UInt8($0)] }
        case UInt8(ascii: "u"): return unicode()
        case UInt8(ascii: "0")...UInt8(ascii: "3"): return octal(byte)
        default: return nil
        }
    }

    /// Numbers of three digits alone: `\0` and back references are something else.
    private mutating func octal(_ first: UInt8) -> [UInt8]? {
        guard let second = digit(below: 8), let third = digit(below: 8) else { return nil }
        return [UInt8((UInt32(first) & 7) << 6 | second << 3 | third)]
    }

    private mutating func unicode() -> [UInt8]? {
        if take("{") {
            let number = number(radix: 16)
            return take("}") ? scalar(number) : nil
        }
        guard let unit = hex(4) else { return nil }
        guard 0xd800..<0xdc00 ~= unit else { return scalar(unit) }
        guard take("\\"), take("u"), let low = hex(4), 0xdc00..<0xe000 ~= low else { return nil }
        return scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
    }

    /// The semicolon may be missing, as browsers have it.
    mutating func entity() -> [UInt8]? {
        if take("#") {
            let isHex = take("x") || take("X")
            let meant = scalar(number(radix: isHex ? 16 : 10))
            _ = take(";")
            // More digits may have followed.
            return isCut ? nil : meant
        }
        var name: [UInt8] = []
        while position < text.count, name.count < Self.nameBytesMax, isLetter(text[position]) {
            name.append(smallLetter(text[position]))
            position += 1
        }
        if position == text.count { isCut = true }
        guard let meant = entityBytes[String(decoding: name, as: UTF8.self)] else { return nil }
        _ = take(";")
        return [meant]
    }

    private func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7a ~= byte | 0x20 }

    private mutating func number(radix: UInt32) -> UInt32? {
        var number: UInt32?
        for _ in 0..<Self.digitsMax {
            guard position < text.count, let digit = Hex.value(of: text[position]), digit < radix
            else { break }
            number = (number ?? 0) &* radix &+ UInt32(digit)
            position += 1
        }
        if position == text.count { isCut = true }
        return number
    }

    private mutating func hex(_ count: Int) -> UInt32? {
        var number: UInt32 = 0
        for _ in 0..<count {
            guard let digit = digit(below: 16) else { return nil }
            number = number << 4 | digit
        }
        return number
    }

    private mutating func digit(below radix: UInt8) -> UInt32? {
        guard let byte = next() else { return nil }
        guard let digit = Hex.value(of: byte), digit < radix else { return nil }
        return UInt32(digit)
    }

    private func scalar(_ number: UInt32?) -> [UInt8]? {
        number.flatMap { Unicode.Scalar($0) }.map { Array(String($0).utf8) }
    }

    private mutating func next() -> UInt8? {
        guard position < text.count else {
            isCut = true
            return nil
        }
        defer { position += 1 }
        return text[position]
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard position < text.count else {
            isCut = true
            return false
        }
        guard text[position] == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }
}

/// The names that HTML has for characters of ASCII, in small letters.
private let entityBytes: [String: UInt8] =
    ([
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "tab": "\t",
        "newline": "\n", "excl": "!", "num": "#", "dollar": "$", "percnt": "%", "lpar": "(",
        "rpar": ")", "ast": "*", "midast": "*", "plus": "+", "comma": ",", "hyphen": "-",
        "dash": "-",
        "period": ".", "sol": "/", "colon": ":", "semi": ";", "equals": "=", "quest": "?",
        "commat": "@", "lsqb": "[", "lbrack": "[", "bsol": "\\", "rsqb": "]", "rbrack": "]",
        "hat": "^", "lowbar": "_", "underbar": "_", "grave": "`", "lcub": "{", "lbrace": "{",
        "verbar": "|", "vert": "|", "rcub": "}", "rbrace": "}",
    ] as [String: Unicode.Scalar]).mapValues { UInt8(ascii: $0) }
