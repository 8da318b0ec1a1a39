private let base64Alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
private let hexAlphabet = Array("0123456789abcdef".utf8)

/// Lower-case hex.
func hexDigits(of bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { [hexAlphabet[Int($0 >> 4)], hexAlphabet[Int($0 & 15)]] }
}

/// Standard base64 without padding.
func base64Digits(of bytes: [UInt8]) -> [UInt8] {
    var digits: [UInt8] = []
    var pending: UInt32 = 0
    var bits = 0
    for byte in bytes {
        pending = pending << 8 | UInt32(byte)
        bits += 8
        while bits >= 6 {
            bits -= 6
            digits.append(base64Alphabet[Int(pending >> bits) & 63])
        }
        pending &= (1 << bits) - 1
    }
    if bits > 0 { digits.append(base64Alphabet[Int(pending << (6 - bits)) & 63]) }
    return digits
}

/// The standard digit for a digit of the URL-safe alphabet; any other byte as it is.
func standardDigit(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: byte
    }
}

/// Whether the byte is a digit of either base64 alphabet.
func isBase64Digit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
    default: false
    }
}
