/// Encodes text as one segment of a path: everything but letters, digits and `-._~`.
///
/// `.` and `..` are encoded too, yet a server may still read them as steps in the tree, so a
/// caller that lets users choose segments should refuse those two.
public func percentEncode(pathSegment: String) -> String {
    if pathSegment == "." || pathSegment == ".." {
        return pathSegment.replacing(".", with: "%2E")
    }
    return percentEncode(pathSegment, keeping: isUnreserved)
}

/// Encodes text as a name or value in a query: everything but letters, digits and `-._~`; a blank
/// becomes `%20`, which every server reads, not `+`.
public func percentEncode(queryValue: String) -> String {
    percentEncode(queryValue, keeping: isUnreserved)
}

private let digits = Array("0123456789ABCDEF".utf8)

func percentEncode(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
    guard !text.utf8.allSatisfy(isKept) else { return text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
        if isKept(byte) {
            bytes.append(byte)
        } else {
            bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
}

func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: isLetter(byte) || isDigit(byte)
    }
}

/// The text that `percentEncode` made this of; nil where it is none that it makes.
public func percentDecoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte)
            continue
        }
        let digits = rest.prefix(2)
        guard digits.count == 2, digits.allSatisfy(isHexDigit),
            let decoded = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        bytes.append(decoded)
        rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
}
