/// What one statement of a claim gave.
struct Helping: Sendable {
    var jobs: [ClaimedJob] = []
    /// The database's time, microseconds since 1970.
    var at: Int64 = 0
    /// Up to where was looked; nil: nowhere.
    var looked: DueJobs.Position?
    var found: [(tenant: Int64, job: DueJobs.Job)] = []
    /// Weights of tenants of the found jobs, where they are not 1.
    var weights: [Int64: Int] = [:]
    /// Of each job that was taken of those offered: the place of its offer, and its own there, from 1 on.
    var takenOf: [Int] = []
    var takenPlaces: [Int] = []
    var full: Set<Int64> = []
    var busy: Set<Int64> = []

    /// The look ended before its end.
    var isCut: Bool { looked.map { $0.user != .max } ?? false }

    /// How many jobs of an offer the statement came to: it has taken them, or they are not what they were.
    func cameTo(_ place: Int, _ ticket: ClaimTicket) -> Int {
        let offer = ticket.offers[place]
        let taken = zip(takenOf, takenPlaces).filter { $0.0 == place + 1 }.map(\.1)
        let last = taken.max() ?? 0
        if full.contains(offer.tenant) || busy.contains(offer.tenant) || taken.count >= offer.share
        {
            return last
        }
        // When the limit is reached, nobody comes to the rest.
        let isLimitReached = jobs.count >= ticket.limit
        return isLimitReached && place + 1 >= takenOf.last ?? 0 ? last : offer.jobs.count
    }
}
