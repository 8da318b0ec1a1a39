import JobQueue
import Synchronization

/// Gives back what the database says this worker holds and it does not know of, which its heartbeat would else keep for ever.
///
/// The reply to a claim may be lost, a claim may reach the server long after its connection broke, and an outcome that
/// was written may be lost with the server that wrote it.
final class OrphanedClaimCheck: Sendable {
    /// When to check.
    struct Times {
        /// How long after a failure a claim may still arrive, and how often to check then.
        private static let doubt = Duration.seconds(10)
        private static let doubtfulPeriod = Duration.seconds(1)

        private var failedAt: ContinuousClock.Instant?
        private var doubtEnds: ContinuousClock.Instant?
        private var checkedAt = ContinuousClock.now

        mutating func claimFailed(at now: ContinuousClock.Instant) {
            failedAt = now
            doubtEnds = now + Self.doubt
        }

        /// What failed since the check began is not seen by it.
        mutating func checked(from began: ContinuousClock.Instant, at now: ContinuousClock.Instant)
        {
            if let failedAt, failedAt <= began { self.failedAt = nil }
            checkedAt = now
        }

        var isLikely: Bool { failedAt != nil }

        /// At once after a failure, each second for a while, else once a lease.
        func isDue(_ lease: Duration, at now: ContinuousClock.Instant) -> Bool {
            if isLikely { return true }
            let isDoubtful = doubtEnds.map { now < $0 } ?? false
            return now - checkedAt >= (isDoubtful ? min(Self.doubtfulPeriod, lease) : lease)
        }
    }

    private let context: WorkerContext
    private let times = Mutex(Times())

    init(_ context: WorkerContext) {
        self.context = context
    }

    /// A claim failed, so that the server may have given jobs, or be about to.
    func claimFailed() { times.withLock { $0.claimFailed(at: .now) } }

    /// A claim has failed, and nobody has checked since.
    var isLikely: Bool { times.withLock { $0.isLikely } }

    /// Releases what is orphaned, when it is time; between two claims, so that none is under way whose jobs have no slot yet.
    func releaseWhenDue(_ worker: Int) async throws {
        guard times.withLock({ $0.isDue(context.settings.lease, at: .now) }) else { return }
        try await release(worker)
    }

    /// Releases what is orphaned; a claim of which a run had committed pages is ended as partial, so that what it did is counted.
    func release(_ worker: Int) async throws {
        let began = ContinuousClock.now
        let held = try await context.queue.heldClaims(worker: worker)
        // A run that ends is the completer's before it leaves its slot, so slots are looked at first; a run
        // whose outcome was written since is not held any more, and is left alone.
        let known = context.slots.claims.union(context.completer.claims)
        let orphaned = held.filter { !known.contains($0) }
        if !orphaned.isEmpty { _ = try await context.queue.releaseOrphans(orphaned) }
        times.withLock { $0.checked(from: began, at: .now) }
    }
}
