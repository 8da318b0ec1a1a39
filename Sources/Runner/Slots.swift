import Queue
import Sync
import Synchronization

/// The runs of this worker: who runs, how many more may, and how to stop them.
final class Slots: Sendable {
    private struct Running {
        var claim: Claim
        var tenantID: Int64
        var control: RunControl
        var task: Task<Void, Never>?
    }

    private struct State {
        var running: [Int64: Running] = [:]
        /// How many of them are each tenant's.
        var tenants: [Int64: Int] = [:]
        /// Set at shutdown: a run that begins after it is stopped at once.
        var closed: ErrorKind?
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { state.withLock { $0.running.count } }
    var free: Int { state.withLock { max(0, capacity - $0.running.count) } }

    /// Whether a claim's run has a slot.
    func holds(_ claim: Claim) -> Bool { state.withLock { $0.running[claim.fence] != nil } }

    /// Takes a slot for a claimed job, before its run begins.
    func take(_ claim: Claim, tenantID: Int64) -> RunControl {
        let control = RunControl()
        state.withLock { state in
            if let reason = state.closed { control.stop(reason) }
            state.running[claim.fence] = Running(
                claim: claim, tenantID: tenantID, control: control)
            state.tenants[tenantID, default: 0] += 1
        }
        return control
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
        state.withLock { state in
            guard let left = state.running.removeValue(forKey: claim.fence) else { return }
            let others = (state.tenants[left.tenantID] ?? 1) - 1
            state.tenants[left.tenantID] = others > 0 ? others : nil
        }
    }

    /// Running jobs of each tenant that has any.
    var tenants: [Int64: Int] { state.withLock { $0.tenants } }

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
