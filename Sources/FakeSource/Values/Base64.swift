/// The standard alphabet with padding, so that cursors hold characters a query must escape.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ text: String) -> String { encode(Array(text.utf8)) }

    static func encode(_ bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.enumerated().reduce(0) { $0 | Int($1.1) << (16 - 8 * $1.0) }
            for place in 0..<4 {
                let digit = alphabet[bits >> (18 - 6 * place) & 63]
                out.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    static func decode(_ text: String) -> String? {
        bytes(of: text).map { String(decoding: $0, as: UTF8.self) }
    }

    static func bytes(of text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        var bytes: [UInt8] = []
        var bits = 0
        for (place, digit) in digits.dropLast(padding).enumerated() {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            if place % 4 > 0 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> (6 - 2 * (place % 4))))
            }
        }
        return bytes
    }
}
