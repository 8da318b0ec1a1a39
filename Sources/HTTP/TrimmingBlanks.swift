extension StringProtocol {
    /// Without blanks and tabs around it.
    public func trimmingBlanks() -> String {
        // Byte by byte: a line's end is one Character, and beside a combining mark another one.
        let bytes = Array(utf8)
        let isBlank = { (byte: UInt8) in " \t\r\n".utf8.contains(byte) }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }),
            let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }
}
