extension Duration {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// A longer one is beyond every bound; as microseconds it is still far from overflow.
    private static let millisecondsMax: Int64 = 100_000 * 86_400_000

    /// Reads `250ms`, `2.5s`, `5m`, `1h` or `1d`, exact to the millisecond; nil for anything else, and for more than
    /// 100,000 days.
    init?(jobFile text: String) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = Self.units.first { $0.name == text.dropFirst(digits.count) }
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        // As many digits as the longest one has in the smallest unit, in which it may have to be written.
        guard let unit, (1...2).contains(parts.count), (1...13).contains(parts[0].count),
            let whole = Int64(parts[0]), whole <= Self.millisecondsMax / unit.milliseconds
        else { return nil }
        var milliseconds = whole * unit.milliseconds
        if parts.count == 2 {
            guard (1...3).contains(parts[1].count), let fraction = Int64(parts[1]) else {
                return nil
            }
            let scale: Int64 = parts[1].count == 1 ? 10 : parts[1].count == 2 ? 100 : 1_000
            guard fraction * unit.milliseconds % scale == 0 else { return nil }
            milliseconds += fraction * unit.milliseconds / scale
        }
        guard milliseconds <= Self.millisecondsMax else { return nil }
        self = .milliseconds(milliseconds)
    }

    /// The span as a job file writes it, in the largest unit that needs no fraction.
    var jobFileText: String {
        let (seconds, attoseconds) = components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        if milliseconds == 0 { return "0s" }
        let unit = Self.units.last { milliseconds % $0.milliseconds == 0 } ?? Self.units[0]
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }

    static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
    static func hours(_ count: Int) -> Duration { .seconds(count * 3_600) }
    static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
