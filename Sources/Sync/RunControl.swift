public import JobQueue
import Synchronization
public import Telemetry

/// A run as seen from outside: what it is doing, how it is told to stop, and why.
public final class RunControl: Sendable {
    private let reason = Mutex<ErrorKind?>(nil)
    private let yielding = Atomic(false)

    /// What the run is doing.
    public let activity = RunActivity()

    /// A run that nobody has told to stop.
    public init() {}

    /// Notes why; the first reason stays.
    ///
    /// Cancel the run's task after it.
    public func stop(_ kind: ErrorKind) {
        reason.withLock { $0 = $0 ?? kind }
    }

    /// Why the run is to stop; nil when it is not.
    public var stopReason: ErrorKind? { reason.withLock { $0 } }

    /// Asks the run to make room for others when its next page is committed.
    public func yield() { yielding.store(true, ordering: .relaxed) }

    /// Whether others wait for the run's slot.
    public var isToYield: Bool { yielding.load(ordering: .relaxed) }
}
