import Basics

/// One way a secret may be written, in small letters.
struct SecretForm: Sendable {
    /// A shorter form stands in many a text by chance.
    static let bytesMin = 4
    /// Base64 of base64 is sought of tokens, not of keys that are longer: its forms take twenty times a secret's bytes.
    private static let twiceBytesMax = 4 << 10

    let bytes: [UInt8]
    /// So many base64 digits before a match hold bits of the secret.
    var digitsBefore = 0
    /// So many after a match do.
    var digitsAfter = 0

    /// Every form of a secret.
    static func all(of secret: [UInt8]) -> [SecretForm] {
        let once = spellings(of: secret).flatMap(base64)
        let twice =
            secret.count > twiceBytesMax
            ? []
            : once.flatMap { base64($0.bytes) }.map {
                // One of the inner text, which is two of the outer one, and one of the outer one.
                SecretForm(bytes: $0.bytes, digitsBefore: 3, digitsAfter: 3)
            }
        return
            ([SecretForm(bytes: secret), SecretForm(bytes: Hex.digits(of: secret))] + once + twice)
            .map(\.inSmallLetters).filter { $0.bytes.count >= bytesMin }
    }

    private var inSmallLetters: SecretForm {
        SecretForm(
            bytes: bytes.map(smallLetter), digitsBefore: digitsBefore, digitsAfter: digitsAfter)
    }

    /// The digits that the bytes alone decide, whatever precedes them, in both alphabets.
    private static func base64(_ bytes: [UInt8]) -> [SecretForm] {
        (0..<3).flatMap { offset -> [SecretForm] in
            let digits = Base64.digits(of: Array(repeating: 0, count: offset) + bytes)
            let first = (offset * 8 + 5) / 6
            let end = (offset + bytes.count) * 8 / 6
            guard first < end else { return [] }
            let standard = Array(digits[first..<end])
            return Set([standard, standard.map(urlDigit)]).map {
                SecretForm(
                    bytes: $0, digitsBefore: offset > 0 ? 1 : 0,
                    digitsAfter: (offset + bytes.count) % 3 != 0 ? 1 : 0)
            }
        }
    }

    /// How it is most often written in what is then encoded: as it is, in a query, in JSON.
    private static func spellings(of secret: [UInt8]) -> Set<[UInt8]> {
        let json = secret.flatMap { jsonSpelling($0, escapesSlash: false) }
        let jsonWithSlash = secret.flatMap { jsonSpelling($0, escapesSlash: true) }
        let percent = secret.flatMap { isUnreserved($0) ? [$0] : percentSpelling($0) }
        return [secret, json, jsonWithSlash, percent]
    }
}

/// The byte as a small letter where it is a capital one of ASCII.
func smallLetter(_ byte: UInt8) -> UInt8 { 0x41...0x5a ~= byte ? byte | 0x20 : byte }

/// Whether the byte is a digit of either base64 alphabet.
func isBase64Digit(_ byte: UInt8) -> Bool {
    isUnreserved(byte) && byte != UInt8(ascii: ".") && byte != UInt8(ascii: "~")
        || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
}

/// Whether the byte stands for itself in an address (RFC 3986, 2.3).
private func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        true
    default: false
    }
}

private func urlDigit(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "+"): UInt8(ascii: "-")
    case UInt8(ascii: "/"): UInt8(ascii: "_")
    default: digit
    }
}

private func percentSpelling(_ byte: UInt8) -> [UInt8] {
    Array("%".utf8) + Hex.digits(of: [byte]).map { 0x61...0x66 ~= $0 ? $0 & ~0x20 : $0 }
}

private func jsonSpelling(_ byte: UInt8, escapesSlash: Bool) -> [UInt8] {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
    case UInt8(ascii: "/") where escapesSlash: [UInt8(ascii: "\\"), byte]
    case 0x0a: Array(#"\n"#.utf8)
    case 0x0d: Array(#"\r"#.utf8)
    case 0x09: Array(#"\t"#.utf8)
    case 0..<0x20: Array(#"\u00"#.utf8) + Hex.digits(of: [byte])
    default: [byte]
    }
}
