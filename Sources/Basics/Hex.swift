/// Bytes as pairs of hexadecimal digits.
public enum Hex {
    /// Two lower-case digits for each byte.
    public static func digits(of bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.flatMap { [digit($0 >> 4), digit($0 & 15)] }
    }

    /// Two lower-case digits for each byte, as text.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: digits(of: bytes), as: UTF8.self)
    }

    /// The bytes of a text in either case; nil unless the text is pairs of digits.
    public static func decode(_ text: String) -> [UInt8]? {
        let values = text.utf8.map(value)
        guard values.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(values.count / 2)
        for pair in stride(from: 0, to: values.count, by: 2) {
            guard let high = values[pair], let low = values[pair + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The lower-case digit of a value from 0 to 15.
    @inlinable public static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// The value of a digit in either case; nil when the byte is no hexadecimal digit.
    @inlinable public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
