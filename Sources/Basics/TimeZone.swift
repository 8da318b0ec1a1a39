import CGLib

/// A place's rule for its clocks, from the system's time zone database.
///
/// GLib's `GTimeZone` is never changed once it is made, so that any thread may ask it.
public final class TimeZone: @unchecked Sendable {
    private let zone: OpaquePointer

    /// By a name such as `Europe/Berlin`, or an offset such as `+02:00`; nil when there is none.
    public init?(named name: String) {
        // The name becomes a file's path.
        guard let first = name.utf8.first, Self.mayBegin(first), name.utf8.count <= 64,
            name.utf8.allSatisfy({ Self.mayBegin($0) || "/_:0123456789".utf8.contains($0) }),
            let zone = g_time_zone_new_identifier(name)
        else { return nil }
        self.zone = zone
    }

    deinit { g_time_zone_unref(zone) }

    private static func mayBegin(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
    }

    /// How far the clock is ahead of UTC at an instant, both in seconds.
    public func offset(at instant: Int64) -> Int64 {
        let interval = g_time_zone_find_interval(zone, G_TIME_TYPE_UNIVERSAL, gint64(instant))
        return Int64(g_time_zone_get_offset(zone, interval))
    }

    /// How far the clock is ahead of UTC when it shows `local`, both in seconds.
    ///
    /// Of two instants at which it shows that, the earlier one counts; a time that it leaps over is read as if it had
    /// not leapt yet.
    public func offset(atLocal local: Int64) -> Int64 {
        var moved = gint64(local)
        let interval = g_time_zone_adjust_time(zone, G_TIME_TYPE_DAYLIGHT, &moved)
        let offset = Int64(g_time_zone_get_offset(zone, interval))
        return offset - (Int64(moved) - local)
    }
}
