import JobQueue
import Sync
import Synchronization
import Telemetry

/// The runs of this worker: who runs, how many more may, and how to stop them.
final class Slots: Sendable {
    private struct Running {
        var claim: Claim
        var tenantID: Int64
        var since: ContinuousClock.Instant
        var control: RunControl
        /// When it was asked to make room.
        var askedAt: ContinuousClock.Instant?
        var task: Task<Void, Never>?
    }

    private struct State {
        var running: [Int64: Running] = [:]
        /// Set at shutdown: a run that begins after it is stopped at once.
        var closed: ErrorKind?
    }

    /// How long a run keeps its slot at least before it is asked to make room for others.
    private static let turnMin = Duration.seconds(1)
    /// A run that was asked and has not made room after this long may hang, so another is asked.
    private static let yieldTimeout = Duration.seconds(5)

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { state.withLock { $0.running.count } }
    var free: Int { state.withLock { max(0, capacity - $0.running.count) } }

    /// The claims whose runs have a slot.
    var claims: Set<Claim> { state.withLock { Set($0.running.values.map(\.claim)) } }

    /// Takes a slot for a tenant's claimed job, before its run begins.
    func take(_ claim: Claim, of tenantID: Int64) -> RunControl {
        let control = RunControl()
        state.withLock { state in
            if let reason = state.closed { control.stop(reason) }
            state.running[claim.fence] = Running(
                claim: claim, tenantID: tenantID, since: .now, control: control)
        }
        return control
    }

    /// Asks so many runs of each tenant to make room at the end of their next page.
    ///
    /// Those that have held their slots longest are asked, and only after a second, so that each run makes
    /// progress. One that was asked long ago and has not come to a page's end may hang; then another is
    /// asked as well.
    func yield(_ counts: [Int64: Int], at now: ContinuousClock.Instant = .now) {
        guard !counts.isEmpty else { return }
        state.withLock { state in
            for (tenantID, count) in counts {
                let runs = state.running.values.filter { $0.tenantID == tenantID }
                let expected = runs.count {
                    $0.askedAt.map { now - $0 < Self.yieldTimeout } ?? false
                }
                let unasked = runs.filter { $0.askedAt == nil && now - $0.since >= Self.turnMin }
                for run in unasked.sorted(by: { $0.since < $1.since }).prefix(
                    max(0, count - expected))
                {
                    state.running[run.claim.fence]?.askedAt = now
                    run.control.yield()
                }
            }
        }
    }

    /// Tells a slot its task; a stop that came before cancels it at once.
    func begin(_ claim: Claim, _ task: Task<Void, Never>) {
        let stopped = state.withLock { state in
            state.running[claim.fence]?.task = task
            return state.running[claim.fence]?.control.stopReason != nil
        }
        if stopped { task.cancel() }
    }

    /// Frees a slot when its outcome is on its way.
    func leave(_ claim: Claim) {
        state.withLock { _ = $0.running.removeValue(forKey: claim.fence) }
    }

    /// A run in its slot.
    struct Busy {
        var claim: Claim
        var holding: Duration
        var activity: RunActivity.Snapshot
    }

    /// What the runs are doing, the longest first.
    func busy(at now: ContinuousClock.Instant = .now) -> [Busy] {
        let running = state.withLock { Array($0.running.values) }
        return running.sorted { $0.since < $1.since }.map {
            Busy(claim: $0.claim, holding: now - $0.since, activity: $0.control.activity.snapshot)
        }
    }

    /// Whether a run has a slot.
    func holds(fence: Int64) -> Bool { state.withLock { $0.running[fence] != nil } }

    /// A run's deadline has passed; nothing if it has ended.
    func expire(_ fence: Int64) {
        let task = state.withLock { state in
            state.running[fence]?.control.stop(.deadline)
            return state.running[fence]?.task
        }
        task?.cancel()
    }

    /// Stops the runs that a person asked to stop.
    func stop(_ requests: [StopRequest]) {
        for request in requests { stop(.cancelled) { $0.fence == request.fence } }
    }

    /// Stops all runs for a reason, and every one that begins later.
    func close(_ reason: ErrorKind) {
        state.withLock { $0.closed = reason }
        stopAll(reason)
    }

    /// Stops all runs for a reason.
    func stopAll(_ reason: ErrorKind) {
        stop(reason) { _ in true }
    }

    private func stop(_ reason: ErrorKind, _ isMeant: (Claim) -> Bool) {
        // The reason is noted under the lock: a task that begins meanwhile must see it, else it
        // would be neither in this list nor cancelled by `begin`.
        let tasks = state.withLock { state in
            state.running.values.filter { isMeant($0.claim) }.map { run in
                run.control.stop(reason)
                return run.task
            }
        }
        for task in tasks { task?.cancel() }
    }
}
