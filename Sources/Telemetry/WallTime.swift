import Basics
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
        let (days, time) = floorDivision(millisecondsSince1970, 86_400_000)
        let date = CivilDate(daysSince1970: days)
        let parts = [
            zeroPadded(date.year, 4), zeroPadded(date.month, 2), zeroPadded(date.day, 2),
        ]
        let clock = [
            zeroPadded(time / 3_600_000, 2), zeroPadded(time / 60_000 % 60, 2),
            zeroPadded(time / 1000 % 60, 2),
        ]
        return parts.joined(separator: "-") + "T" + clock.joined(separator: ":")
            + "." + zeroPadded(time % 1000, 3) + "Z"
    }
}
