import Basics

/// How a text escapes the bytes in it; `form` is `percent` with `+` for a space.
enum Escape: Sendable, CaseIterable { case none, percent, form, json }

/// What stands at a place of a text: one byte, or an escape that means one to four.
struct Unescaped {
    /// The bytes that are meant.
    let bytes: [UInt8]
    /// How many bytes of the text say so.
    let length: Int
    /// Whether this looks like an escape that the end of the text cuts off.
    let isCut: Bool

    /// Longest escape: a surrogate pair.
    private static let escapeBytesMax = 12

    init(_ text: [UInt8], at position: Int, _ escape: Escape) {
        let byte = text[position]
        let found: (bytes: [UInt8], length: Int)? =
            switch (escape, byte) {
            case (.percent, UInt8(ascii: "%")), (.form, UInt8(ascii: "%")):
                percentEscape(text, at: position)
            case (.form, UInt8(ascii: "+")): ([UInt8(ascii: " ")], 1)
            case (.json, UInt8(ascii: "\\")): jsonEscape(text, at: position)
            default: nil
            }
        bytes = found?.bytes ?? [byte]
        length = found?.length ?? 1
        isCut =
            Self.opens(byte, escape) && found == nil && text.count - position < Self.escapeBytesMax
    }

    /// Whether the byte may mean another one than itself.
    static func opens(_ byte: UInt8, _ escape: Escape) -> Bool {
        switch escape {
        case .none: false
        case .percent: byte == UInt8(ascii: "%")
        case .form: byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+")
        case .json: byte == UInt8(ascii: "\\")
        }
    }
}

private func percentEscape(_ text: [UInt8], at position: Int) -> ([UInt8], Int)? {
    guard let value = hexNumber(text, from: position + 1, digits: 2) else { return nil }
    return ([UInt8(value)], 3)
}

private func jsonEscape(_ text: [UInt8], at position: Int) -> ([UInt8], Int)? {
    guard position + 1 < text.count else { return nil }
    switch text[position + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return ([text[position + 1]], 2)
    case UInt8(ascii: "b"): return ([8], 2)
    case UInt8(ascii: "f"): return ([12], 2)
    case UInt8(ascii: "n"): return ([10], 2)
    case UInt8(ascii: "r"): return ([13], 2)
    case UInt8(ascii: "t"): return ([9], 2)
    case UInt8(ascii: "u"): return unicodeEscape(text, at: position)
    default: return nil
    }
}

private func unicodeEscape(_ text: [UInt8], at position: Int) -> ([UInt8], Int)? {
    guard let unit = hexNumber(text, from: position + 2, digits: 4) else { return nil }
    if let scalar = Unicode.Scalar(unit) { return (Array(String(scalar).utf8), 6) }
    guard unit < 0xdc00, position + 7 < text.count, text[position + 6] == UInt8(ascii: "\\"),
        text[position + 7] == UInt8(ascii: "u"),
        let low = hexNumber(text, from: position + 8, digits: 4), (0xdc00..<0xe000).contains(low),
        let scalar = Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
    else { return nil }
    return (Array(String(scalar).utf8), 12)
}

private func hexNumber(_ text: [UInt8], from start: Int, digits: Int) -> UInt32? {
    guard start + digits <= text.count else { return nil }
    var value: UInt32 = 0
    for byte in text[start..<start + digits] {
        guard let digit = Hex.value(of: byte) else { return nil }
        value = value << 4 | UInt32(digit)
    }
    return value
}
