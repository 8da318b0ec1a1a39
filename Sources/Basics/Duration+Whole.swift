extension Duration {
    /// Microseconds, a fraction cut off.
    public var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }

    /// Milliseconds, rounded up, so that whoever waits so long never waits too short a time.
    ///
    /// At least 0, and at most what any timeout of an operating system or server takes.
    public var millisecondsRoundedUp: Int {
        let (seconds, attoseconds) = components
        guard seconds < 1 << 40 else { return .max >> 20 }
        let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return max(0, Int(seconds) * 1000 + Int(milliseconds))
    }
}
