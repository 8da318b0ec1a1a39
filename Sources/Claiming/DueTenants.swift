import JobQueue

/// What a look has found: of whom something is due, and how far it has looked.
struct DueTenants: Sendable {
    /// A tenant's lane.
    struct Found: Sendable, Equatable {
        var tenant: Int64
        var lane: Lane
        /// Its jobs that the look came to; nil when more than it counts.
        var count: Int?
        /// The oldest of them.
        var first: DuePosition
    }

    var found: [Found] = []
    /// Weights of tenants among them, where they are not 1.
    var weights: [Int64: Int] = [:]
    /// Up to where it has looked; of a look at tenants `user` is the last tenant that was asked.
    var reached: DuePosition
    /// There is more to look at.
    var isCut: Bool
    /// The database's time, microseconds since 1970.
    var now: Int64
}

/// How many more jobs of a tenant may run that is paused or has a limit, as a claim has found it.
struct RemainingCapacity: Sendable, Equatable {
    enum State: String, Sendable {
        /// It may still be claimed from, as often as `room` says.
        case limited
        /// It is at its limit.
        case full
        /// Another claim has its turn.
        case busy
        /// Its limit is new, and what runs is not counted yet.
        case unsettled
        case paused
    }

    var tenant: Int64
    var room: Int
    var state: State
}
