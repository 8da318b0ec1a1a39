import JobQueue
import Synchronization

/// Gives back what the database says this worker holds and it does not know of, which its heartbeat would else keep for ever.
///
/// The reply to a claim may be lost, a claim may reach the server long after its connection broke, and an outcome that
/// was written may be lost with the server that wrote it.
final class OrphanedClaimCheck: Sendable {
    /// How long after a failure a claim may still arrive, and how often to look then.
    private static let doubt = Duration.seconds(10)
    private static let doubtfulPeriod = Duration.seconds(1)

    private struct State {
        var failedAt: ContinuousClock.Instant?
        var doubtEnds: ContinuousClock.Instant?
        var checkedAt = ContinuousClock.now
    }

    private let context: WorkerContext
    private let state = Mutex(State())

    init(_ context: WorkerContext) {
        self.context = context
    }

    /// A claim failed, so that the server may have given jobs, or be about to.
    func claimFailed(at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            state.failedAt = now
            state.doubtEnds = now + Self.doubt
        }
    }

    /// At once after a failure, each second for a while, else once a lease.
    func isDue(at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            if state.failedAt != nil { return true }
            let lease = context.settings.lease
            let isDoubtful = state.doubtEnds.map { now < $0 } ?? false
            return now - state.checkedAt >= (isDoubtful ? min(Self.doubtfulPeriod, lease) : lease)
        }
    }

    /// Releases what is orphaned, when it is time; between two claims, so that none is under way whose jobs have no slot yet.
    ///
    /// A claim of which a run had committed pages is ended as partial, so that what it did is counted.
    func releaseWhenDue(_ worker: Int) async throws {
        guard isDue() else { return }
        let began = ContinuousClock.now
        let held = try await context.queue.heldClaims(worker: worker)
        // A run that ends is the completer's before it leaves its slot, so slots are looked at first; a run
        // whose outcome was written since is not held any more, and is left alone.
        let known = context.slots.claims.union(context.completer.claims)
        let orphaned = held.filter { !known.contains($0) }
        if !orphaned.isEmpty { _ = try await context.queue.releaseOrphans(orphaned) }
        state.withLock { state in
            if let failedAt = state.failedAt, failedAt <= began { state.failedAt = nil }
            state.checkedAt = .now
        }
    }
}
