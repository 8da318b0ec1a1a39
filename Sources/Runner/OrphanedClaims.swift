import JobQueue
import Synchronization

/// Gives back what this worker holds without running it, which its heartbeat would else keep for ever.
final class OrphanedClaims: Sendable {
    private struct State {
        var watch = OrphanedClaimWatch()
        /// A look is under way beside the claims.
        var isLooking = false
        /// What the last look beside the claims found to be held here and not known.
        var found: [Claim]?
    }

    private let context: WorkerContext
    private let state = Mutex(State())

    init(_ context: WorkerContext) {
        self.context = context
    }

    /// A claim failed, so that the server may have given jobs, or be about to.
    func noteFailure() {
        state.withLock { $0.watch.noteFailure() }
    }

    /// A claim has failed, and nobody has looked since.
    var isLikely: Bool { state.withLock { $0.watch.isLikely } }

    /// Between two claims: releases what is known to be orphaned, and looks when it is time.
    ///
    /// After a failure it looks at once. Else the look goes on beside the claims, because it takes long
    /// before a long backlog.
    func releaseWhenDue(_ worker: Int) async throws {
        let workers = context.rotation.workers
        let (isLikely, found, isDue) = state.withLock { state in
            (
                state.watch.isLikely, state.found.take(),
                state.watch.isDue(context.settings.lease, workers: workers)
            )
        }
        if isLikely { return try await release(worker) }
        if let found { return try await release(among: found) }
        guard isDue, !state.withLock({ $0.isLooking }) else { return }
        state.withLock { $0.isLooking = true }
        Task { await look(worker) }
    }

    /// Asks what the worker holds and releases what it does not know of.
    func release(_ worker: Int) async throws {
        let began = ContinuousClock.now
        let known = knownClaims
        let held = try await context.queue.heldClaims(worker: worker)
        _ = try await context.queue.releaseJobs(held.filter { !known.contains($0) })
        state.withLock { $0.watch.noteLook(from: began) }
    }

    /// A claim that was under way during the look has its slot by now, or has had it.
    private func release(among found: [Claim]) async throws {
        let known = knownClaims
        let orphaned = found.filter { !known.contains($0) }
        guard !orphaned.isEmpty else { return }
        _ = try await context.queue.releaseJobs(orphaned)
    }

    /// Leaves to the claim loop what this worker holds and did not know of when the look began.
    private func look(_ worker: Int) async {
        let began = ContinuousClock.now
        let known = knownClaims
        var held: [Claim]?
        do {
            held = try await context.queue.heldClaims(worker: worker)
        } catch {
            context.noteDatabaseLost(error)
        }
        let unknown = held?.filter { !known.contains($0) }
        state.withLock { state in
            state.isLooking = false
            if unknown == nil {
                state.watch.noteFailure()
            } else {
                state.watch.noteLook(from: began)
            }
            state.found = unknown
        }
    }

    /// A run that ends is the completer's before it leaves its slot, so slots are looked at first.
    private var knownClaims: Set<Claim> { context.slots.claims.union(context.completer.claims) }
}
