/// A number in at least `width` digits, with zeros in front; no number below zero.
public func zeroPadded(_ value: some BinaryInteger, _ width: Int, radix: Int = 10) -> String {
    let digits = String(value, radix: radix)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
