import JobQueue

/// Of whom a claim takes how many jobs, in the order in which the tenants are served.
struct ClaimRequest: Sendable, Equatable {
    struct Part: Sendable, Equatable {
        var tenant: Int64
        /// The most jobs it gets.
        var share: Int
        /// Of them, the most of users who were added with many.
        var newShare: Int
        var floors: Floors
    }

    var limit: Int
    var parts: [Part]

    /// The jobs that can be taken, as far as is known.
    var expected: Int { min(limit, parts.reduce(0) { $0 + $1.share }) }
}

/// What a claim of tenants gave.
struct ClaimReply: Sendable {
    /// In the order in which they were taken.
    var jobs: [ClaimedJob] = []
    /// Tenants of the request that are paused or have a limit.
    var restricted: [RemainingCapacity] = []
}
