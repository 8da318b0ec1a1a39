/// Base64 as RFC 4648 has it.
public enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The text of the bytes, in the standard alphabet and padded with `=`.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text = digits(of: bytes)
        while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The digits of the bytes in the standard alphabet, without padding.
    public static func digits(of bytes: [UInt8]) -> [UInt8] {
        var digits: [UInt8] = []
        digits.reserveCapacity((bytes.count + 2) / 3 * 4)
        var pending: UInt32 = 0
        var bits = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                digits.append(alphabet[Int(pending >> bits) & 63])
            }
            pending &= (1 << bits) - 1
        }
        if bits > 0 { digits.append(alphabet[Int(pending << (6 - bits)) & 63]) }
        return digits
    }
}
