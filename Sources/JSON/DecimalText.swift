/// A number with all its digits, as a JSON document writes it: `12.50`, `1e3`, `18446744073709551615`.
public struct DecimalText: Sendable {
    /// More digits are no amount and no name of anything, and an exponent writes many in a few bytes.
    private static let digitsMax = 1000

    private let isNegative: Bool
    /// Significant ones, as ASCII; none for zero.
    private let digits: [UInt8]
    /// How many of them stand behind the point, less than 0 where zeros follow that are not among them.
    private let scale: Int

    /// Reads a number; nil when the text is none, or has too many digits.
    public init?(_ text: String) {
        var rest = Substring(text).utf8
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        let whole = rest.prefix(while: isDigit)
        rest = rest.dropFirst(whole.count)
        var fraction = rest.prefix(0)
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix(while: isDigit)
            rest = rest.dropFirst(fraction.count + 1)
            guard !fraction.isEmpty else { return nil }
        }
        guard !whole.isEmpty, let exponent = exponent(rest) else { return nil }
        var digits = Array((Array(whole) + fraction).drop { $0 == UInt8(ascii: "0") })
        var scale = fraction.count - exponent
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            scale -= 1
        }
        if digits.isEmpty { scale = 0 }
        guard max(digits.count, scale, digits.count - scale) <= Self.digitsMax else { return nil }
        self.digits = digits
        self.scale = scale
    }

    /// The number without exponent and without zeros behind the last digit of its fraction: one text for each number.
    public var text: String {
        guard !digits.isEmpty else { return "0" }
        let zero = UInt8(ascii: "0")
        var written = digits + Array(repeating: zero, count: max(0, -scale))
        if scale > 0 {
            written =
                Array(repeating: zero, count: max(0, scale + 1 - written.count)) + written
            written.insert(UInt8(ascii: "."), at: written.count - scale)
        }
        return (isNegative ? "-" : "") + String(decoding: written, as: UTF8.self)
    }

    /// The number where it is whole and fits.
    public var whole: Int64? { scale > 0 ? nil : Int64(text) }

    /// Order among numbers, whatever their digits.
    public static func < (left: DecimalText, right: DecimalText) -> Bool {
        guard left.sign == right.sign else { return left.sign < right.sign }
        return left.isNegative
            ? right.isLessInSize(than: left) : left.isLessInSize(than: right)
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    private func isLessInSize(than other: DecimalText) -> Bool {
        let (ours, theirs) = (digits.count - scale, other.digits.count - other.scale)
        guard ours == theirs else { return ours < theirs }
        return digits.lexicographicallyPrecedes(other.digits)
    }
}

private func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

/// What stands behind the digits; nil when something that is no exponent.
private func exponent(_ text: Substring.UTF8View) -> Int? {
    guard let mark = text.first else { return 0 }
    guard mark | 0x20 == UInt8(ascii: "e") else { return nil }
    let number = text.dropFirst()
    let digits = "+-".utf8.contains(number.first ?? 0) ? number.dropFirst() : number
    guard !digits.isEmpty, digits.count <= 5, digits.allSatisfy(isDigit) else { return nil }
    return Int(String(Substring(number)))
}
