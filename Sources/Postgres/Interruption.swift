import Synchronization

/// The deadline of one piece of work and whether its task was cancelled.
final class Interruption: Sendable {
    let deadline: ContinuousClock.Instant?
    private let cancelled = Atomic<Bool>(false)

    init(deadline: ContinuousClock.Instant?) {
        self.deadline = deadline
    }

    func cancel() { cancelled.store(true, ordering: .releasing) }

    /// Why the work has to stop now, if it has to.
    var reason: DatabaseError.Code? {
        if cancelled.load(ordering: .acquiring) { return .cancelled }
        guard let deadline, deadline <= .now else { return nil }
        return .timedOut
    }
}

extension DatabaseError {
    /// The error of work that was stopped before it reached the server.
    static func interrupted(_ reason: Code) -> DatabaseError {
        DatabaseError(
            reason, reason == .timedOut ? "the deadline passed" : "the task was cancelled")
    }
}
