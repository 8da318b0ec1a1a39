import Queue
import Sync
import Synchronization

/// The runs of this worker: who runs, how many more may, and how to stop them.
final class Slots: Sendable {
    private struct Running {
        var claim: Claim
        var control: RunControl
        var task: Task<Void, Never>?
    }

    private let capacity: Int
    private let running = Mutex<[Int64: Running]>([:])
    /// Set at shutdown: a run that begins after it is stopped at once.
    private let closed = Mutex<ErrorKind?>(nil)

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { running.withLock { $0.count } }
    var free: Int { running.withLock { max(0, capacity - $0.count) } }

    /// Takes a slot for a claimed job, before its run begins.
    func take(_ claim: Claim) -> RunControl {
        let control = RunControl()
        if let reason = closed.withLock({ $0 }) { control.stop(reason) }
        running.withLock { $0[claim.fence] = Running(claim: claim, control: control) }
        return control
    }

    /// Tells a slot its task; a stop that came before cancels it at once.
    func begin(_ claim: Claim, _ task: Task<Void, Never>) {
        let stopped = running.withLock { running in
            running[claim.fence]?.task = task
            return running[claim.fence]?.control.stopReason != nil
        }
        if stopped { task.cancel() }
    }

    /// Frees a slot when its outcome is on its way.
    func leave(_ claim: Claim) {
        running.withLock { _ = $0.removeValue(forKey: claim.fence) }
    }

    /// Stops the runs that a person asked to stop.
    func stop(_ requests: [StopRequest]) {
        for request in requests { stop(.cancelled) { $0.fence == request.fence } }
    }

    /// Stops all runs for a reason, and every one that begins later.
    func close(_ reason: ErrorKind) {
        closed.withLock { $0 = reason }
        stopAll(reason)
    }

    /// Stops all runs for a reason.
    func stopAll(_ reason: ErrorKind) {
        stop(reason) { _ in true }
    }

    private func stop(_ reason: ErrorKind, _ isMeant: (Claim) -> Bool) {
        let meant = running.withLock { running in running.values.filter { isMeant($0.claim) } }
        for run in meant {
            run.control.stop(reason)
            run.task?.cancel()
        }
    }
}
