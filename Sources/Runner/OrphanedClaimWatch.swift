/// When to compare what the database says this worker holds with what it runs.
///
/// The reply to a claim may be lost, and a claim may reach the server long after its connection broke:
/// its jobs would be held by a living worker that never heard of them.
struct OrphanedClaimWatch {
    /// How long after a failure a claim may still arrive, and how often to look then.
    private static let doubt = Duration.seconds(10)
    private static let doubtfulLook = Duration.seconds(1)
    /// While a long backlog waits a look walks all of it: without doubt the workers together look as often as one would,
    /// and in at most this part of the time; but each after so many leases at the latest.
    private static let costMax = 0.02
    private static let leasesMax = 10

    private var failedAt: ContinuousClock.Instant?
    private var doubtEnds: ContinuousClock.Instant?
    private var looked = ContinuousClock.now
    private var lookTook = Duration.zero

    /// A claim has failed, and nobody has looked since.
    var isLikely: Bool { failedAt != nil }

    /// A claim failed, so that the server may have given jobs, or be about to.
    mutating func noteFailure(at now: ContinuousClock.Instant = .now) {
        failedAt = now
        doubtEnds = now + Self.doubt
    }

    /// Somebody has looked, from `began` to `now`.
    mutating func noteLook(
        from began: ContinuousClock.Instant, at now: ContinuousClock.Instant = .now
    ) {
        // What failed meanwhile was held by a slot when the look saw it.
        if let failedAt, failedAt <= began { self.failedAt = nil }
        looked = now
        lookTook = now - began
    }

    /// At once after a failure, each second for a while, else once a lease for each of the `workers`; later when the last
    /// look was slow.
    func isDue(
        _ lease: Duration, workers: Int = 1, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        if isLikely { return true }
        if let doubtEnds, now < doubtEnds { return now - looked >= min(Self.doubtfulLook, lease) }
        let pause = max(lease, lookTook / Self.costMax) * workers
        return now - looked >= min(pause, lease * Self.leasesMax)
    }
}
