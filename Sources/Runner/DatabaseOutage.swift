import Postgres
import Synchronization

/// How long the database has been away or refusing: told at first and each minute, as long as it lasts.
public final class DatabaseOutage: Sendable {
    private static let repeated = Duration.seconds(60)

    /// What is to be told of it.
    public struct Report: Sendable, Equatable {
        /// The last failure.
        public var error: String
        /// Failures in a row.
        public var failures: Int
        /// Since the first of them.
        public var lasting: Duration
        /// The last failure was of a session: none could be had, it broke, or its server takes no writes.
        public var isOfSessions = false
    }

    private struct State {
        var since: ContinuousClock.Instant
        var toldAt: ContinuousClock.Instant
        var failures = 0
        var error = ""
        var isOfSessions = false

        var report: Report {
            Report(
                error: error, failures: failures, lasting: .now - since, isOfSessions: isOfSessions)
        }
    }

    private let state = Mutex<State?>(nil)

    /// No outage yet.
    public init() {}

    /// Counts a failure; returns what is to be told now.
    public func observe(_ error: any Error, at now: ContinuousClock.Instant = .now) -> Report? {
        state.withLock { state in
            let isNew = state == nil
            var outage = state ?? State(since: now, toldAt: now)
            outage.failures += 1
            outage.error = "\(error)"
            let error = error as? DatabaseError
            outage.isOfSessions =
                error.map { $0.isConnectionFailure || $0.isReadOnlyServer } ?? false
            let isDue = isNew || now - outage.toldAt >= Self.repeated
            if isDue { outage.toldAt = now }
            state = outage
            return isDue ? outage.report : nil
        }
    }

    /// Something worked; returns how long nothing did.
    public func end() -> Duration? {
        state.withLock { state in
            defer { state = nil }
            return state.map { .now - $0.since }
        }
    }

    /// What the outage is, when it has lasted so long.
    public func report(lasting span: Duration) -> Report? {
        state.withLock { $0?.report }.flatMap { $0.lasting >= span ? $0 : nil }
    }
}
