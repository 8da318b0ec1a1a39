/// The `Retry-After` header: how long a source asks to be left alone.
public enum RetryAfter {
    /// Reads seconds from a number of seconds or an HTTP date; what is neither is nil.
    ///
    /// What lies in the past is 0. The value may be absurdly large: the caller decides what it waits.
    public static func seconds(_ headerValue: String, nowUnixSeconds: Int) -> Int? {
        let text = headerValue.trimmingBlanks()
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        if !digits.isEmpty, digits.utf8.allSatisfy(isDigit) {
            return isNegative ? 0 : Int(digits) ?? .max
        }
        return HTTPDate.unixSeconds(text).map { max(0, $0 - nowUnixSeconds) }
    }
}

extension StringProtocol {
    /// Without blanks and tabs around it.
    func trimmingBlanks() -> String {
        // Byte by byte: a line's end is one Character, and beside a combining mark another one.
        let bytes = Array(utf8)
        let isBlank = { (byte: UInt8) in " \t\r\n".utf8.contains(byte) }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }),
            let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }
}
