/// Percent-encoding of everything but RFC 3986's unreserved characters.
func percentEncoded(_ text: String) -> String {
    var out = ""
    for byte in text.utf8 {
        let scalar = Unicode.Scalar(byte)
        let isPlain = byte < 128 && (scalar.properties.isAlphabetic || (48...57).contains(byte))
        if isPlain || "-._~".utf8.contains(byte) {
            out.unicodeScalars.append(scalar)
        } else {
            out += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }
    return out
}
