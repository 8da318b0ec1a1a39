import Postgres

/// What one statement of a claim gave.
struct Helping: Sendable {
    var jobs: [ClaimedJob] = []
    /// The database's time, microseconds since 1970.
    var at: Int64 = 0
    /// Up to where was looked; nil: nowhere.
    var looked: DueJobs.Position?
    /// How many entries of the index it came to.
    var lookedCount = 0
    var found: [(tenant: Int64, job: DueJobs.Job)] = []
    /// Weights of tenants of the found jobs, where they are not 1.
    var weights: [Int64: Int] = [:]
    /// Where the jobs stood that were taken.
    var taken: Set<RowPlace> = []
    /// Tenants with a limit that were taken from, or would have been; only a statement that locks tells.
    var limited: Set<Int64> = []
    /// Those that may run no more now, or are paused.
    var full: Set<Int64> = []
    /// Those that another claim is taking from.
    var busy: Set<Int64> = []
    /// Nothing was done: somebody locked one of the jobs while they were taken.
    var isContended = false

    /// The look ended before its end.
    var isCut: Bool { looked.map { $0.user != .max } ?? false }

    /// Less than a tenth of what it came to waits.
    var isLean: Bool { 10 * found.count < lookedCount || found.isEmpty }

    /// How many jobs of an offer a statement that locks them came to: it has taken them, or they are not what they were.
    ///
    /// `isLast`: of no later offer it took one.
    func cameTo(_ offer: ClaimTicket.Offer, isLast: Bool, _ ticket: ClaimTicket) -> Int {
        let last = offer.jobs.lastIndex { taken.contains($0.place) }.map { $0 + 1 } ?? 0
        if full.contains(offer.tenant) || busy.contains(offer.tenant)
            || offer.jobs.count(where: { taken.contains($0.place) }) >= offer.share
        {
            return last
        }
        // When the limit is reached, nobody comes to the rest.
        let isLimitReached = jobs.count >= ticket.limit
        return isLimitReached && isLast ? last : offer.jobs.count
    }
}
