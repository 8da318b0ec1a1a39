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
