// Numbers as most sources write them, read from their bytes without a text in between.

/// Digits with or without a minus, at most eighteen; nil means written another way, or too long.
func wholeNumber(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    let first = isNegative ? 1 : 0
    guard (1...18).contains(text.count - first) else { return nil }
    var value: Int64 = 0
    for index in first..<text.count {
        let digit = text[index] &- 48
        guard digit < 10 else { return nil }
        value = value * 10 + Int64(digit)
    }
    return isNegative ? -value : value
}

/// The double next to a number without an exponent and of at most fifteen digits; nil means another one.
///
/// Exact: such digits and such a power of ten are doubles themselves, and their quotient is rounded
/// once.
func plainNumber(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    let isNegative = text.first == UInt8(ascii: "-")
    var value: Int64 = 0
    var digits = 0
    var decimals: Int?
    for index in (isNegative ? 1 : 0)..<text.count {
        if text[index] == UInt8(ascii: "."), decimals == nil {
            decimals = 0
            continue
        }
        let digit = text[index] &- 48
        guard digit < 10, digits < 15 else { return nil }
        value = value * 10 + Int64(digit)
        digits += 1
        if let seen = decimals { decimals = seen + 1 }
    }
    guard digits > 0 else { return nil }
    let number = Double(value) / powersOfTen[decimals ?? 0]
    return isNegative ? -number : number
}

private let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
]
