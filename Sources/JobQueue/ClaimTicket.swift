/// What one statement of a claim goes by.
struct ClaimTicket: Sendable {
    /// What it walks of what is due.
    enum Look: Sendable {
        /// All since the last look, and takes it if it fits.
        case take
        /// All since the last look.
        case front
        /// What was passed over.
        case gap
        /// A little of what others walk.
        case probe
        /// For tenants of whom more is due than is remembered.
        case refill
    }

    /// A tenant to take jobs from: up to its share of them.
    struct Offer: Sendable {
        var tenant: Int64
        var share: Int
        var jobs: [DueJobs.Job]
    }

    var look: Look
    var start: DueJobs.Position
    var end: DueJobs.Position?
    var offers: [Offer]
    var limit: Int
    /// Jobs are locked one by one before they are taken; else those that somebody may have locked are passed by.
    var locks = false

    /// Due jobs that are looked at, as `claim_jobs` takes it.
    var lookMax: Int {
        switch look {
        case .take, .front, .probe: 1_000
        case .gap: 10_000
        case .refill: 4_000
        }
    }
}
