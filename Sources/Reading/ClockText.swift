/// Durations as sources write them: seconds, `HH:MM:SS` or `MM:SS`.
enum ClockText {
    /// Seconds; nil for anything else: negative numbers, and ones too large for a double.
    static func seconds(_ text: String) -> Double? {
        if text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }), let plain = Double(text) {
            return plain.isFinite ? plain : nil
        }
        var text = text
        return text.withUTF8 { clock(utf8: $0) }
    }

    private static func clock(utf8 text: UnsafeBufferPointer<UInt8>) -> Double? {
        var scanner = DigitScanner(text)
        guard let first = scanner.number(), scanner.take(":"), let second = scanner.digits(2),
            second < 60
        else { return nil }
        if scanner.isAtEnd { return Double(first) * 60 + Double(second) }
        guard scanner.take(":"), let third = scanner.digits(2), third < 60, scanner.isAtEnd else {
            return nil
        }
        return Double(first) * 3600 + Double(second * 60 + third)
    }
}
