/// The fields of a form as a browser posts it (application/x-www-form-urlencoded).
enum FormBody {
    /// More fields than any form of ours has.
    static let fieldsMax = 50

    /// Nil where there are too many fields or one is no UTF-8.
    static func fields(of body: [UInt8]) -> [(name: String, value: String)]? {
        let parts = body.split(separator: UInt8(ascii: "&"))
        guard parts.count <= fieldsMax else { return nil }
        var fields: [(name: String, value: String)] = []
        for part in parts {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            guard let name = text(of: part[..<end]), let value = text(of: part[end...].dropFirst())
            else { return nil }
            fields.append((name, value))
        }
        return fields
    }

    private static func text(of bytes: ArraySlice<UInt8>) -> String? {
        var decoded: [UInt8] = []
        var place = bytes.startIndex
        while place < bytes.endIndex {
            let byte = bytes[place]
            if byte == UInt8(ascii: "%"), place + 2 < bytes.endIndex,
                let high = digit(bytes[place + 1]), let low = digit(bytes[place + 2])
            {
                decoded.append(high << 4 | low)
                place += 3
            } else {
                decoded.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                place += 1
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
