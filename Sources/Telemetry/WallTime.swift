import Glibc

/// A moment of the machine's clock, only ever printed: decisions use the database's clock.
public struct WallTime: Sendable, Equatable {
    /// Milliseconds since 1970 in UTC.
    public var millisecondsSince1970: Int64

    /// Wraps a count of milliseconds since 1970 in UTC.
    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// What the machine's clock shows.
    public static func now() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(
            millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// In ISO 8601, UTC, to the millisecond: `2026-11-21T08:00:00.123Z`.
    var text: String {
        var seconds = time_t(millisecondsSince1970 / 1000)
        var milliseconds = millisecondsSince1970 % 1000
        if milliseconds < 0 {
            milliseconds += 1000
            seconds -= 1
        }
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = [
            padded(parts.tm_year + 1900, 4), padded(parts.tm_mon + 1, 2), padded(parts.tm_mday, 2),
        ]
        let clock = [padded(parts.tm_hour, 2), padded(parts.tm_min, 2), padded(parts.tm_sec, 2)]
        return date.joined(separator: "-") + "T" + clock.joined(separator: ":")
            + "." + padded(Int32(milliseconds), 3) + "Z"
    }
}

private func padded(_ number: Int32, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
