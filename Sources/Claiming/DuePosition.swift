/// A place among what is due: in `jobs_due`, or in a lane of `jobs_of_tenant`.
struct DuePosition: Sendable, Comparable {
    /// Microseconds since 1970, a job's `claimable_at`.
    var time: Int64
    var user: Int64

    static let beginning = DuePosition(time: .min, user: .min)
    /// Behind everything.
    static let end = DuePosition(time: .max, user: .max)

    /// In front of all that is due at `time` or later.
    static func from(_ time: Int64) -> DuePosition { DuePosition(time: time, user: .min) }

    static func < (one: DuePosition, other: DuePosition) -> Bool {
        (one.time, one.user) < (other.time, other.user)
    }
}
