import Basics

/// The text of a string whose escapes are proved and hold no half of a surrogate pair.
func unescaped(_ content: ArraySlice<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(content.count)
    content.withUnsafeBufferPointer { appendUnescaped($0, to: &text) }
    return text
}

/// Appends the text of such a string.
func appendUnescaped(_ content: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
    var position = 0
    while position < content.count {
        let plain = content[position...].prefix { $0 != UInt8(ascii: "\\") }
        text.append(contentsOf: plain)
        position = plain.endIndex
        guard position < content.count else { return }
        let letter = content[position + 1]
        guard letter == UInt8(ascii: "u") else {
            text.append(shortEscape(letter))
            position += 2
            continue
        }
        var code = UInt32(codeUnit(content, at: position))
        position += 6
        if UTF16.isLeadSurrogate(UInt16(code)) {
            let low = UInt32(codeUnit(content, at: position))
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            position += 6
        }
        if let scalar = Unicode.Scalar(code) {
            text.append(contentsOf: UTF8.encode(scalar) ?? .init())
        }
    }
}

private func shortEscape(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
}

private func codeUnit(_ content: UnsafeBufferPointer<UInt8>, at position: Int) -> UInt16 {
    content[(position + 2)..<(position + 6)].reduce(0) { unit, digit in
        unit << 4 | UInt16(Hex.value(of: digit) ?? 0)
    }
}
