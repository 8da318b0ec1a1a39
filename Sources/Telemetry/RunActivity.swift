import Synchronization

/// What one run is doing at the moment, for whoever asks a worker what its slots are busy with.
public final class RunActivity: Sendable {
    /// What a run may spend its time with.
    public enum Step: String, Sendable {
        /// The run is claimed, and what it must know is being read.
        case starting
        /// The credential is being renewed, or another run holds it.
        case awaitingCredential = "awaiting_credential"
        /// The source's budget or its number of simultaneous requests is used up.
        case awaitingBudget = "awaiting_budget"
        /// A request is on its way, or its answer is.
        case asking
        /// The database is asked for what the run must know.
        case awaitingDatabase = "awaiting_database"
        /// The next attempt is not due yet.
        case awaitingRetry = "awaiting_retry"
        /// Between two pages, since the run has asked for so many.
        case pausing
        /// A transaction is under way, or waits for its locks or its server.
        case writing
        /// The program itself computes, for example reads a page.
        case computing
    }

    /// A run at one moment.
    public struct Snapshot: Sendable, Equatable {
        /// Whose run it is; nil when that is still being read.
        public var subject: Subject?
        /// The entity at work.
        public var entity: String?
        /// Page of the entity's pass, from 1.
        public var page: Int?
        /// What is being done.
        public var step = Step.starting
        /// Since when.
        public var since = ContinuousClock.now
    }

    private let state = Mutex(Snapshot())

    /// A run that is starting.
    public init() {}

    /// What the run is doing now.
    public var snapshot: Snapshot { state.withLock { $0 } }

    /// The run is known by name from here on.
    public func begin(_ subject: Subject) {
        state.withLock { state in
            state.subject = subject
            (state.step, state.since) = (.computing, .now)
        }
    }

    /// The run goes on to an entity, or with nil to what is done between entities.
    public func turn(to entity: String?) {
        state.withLock { ($0.entity, $0.page) = (entity, nil) }
    }

    /// The run goes on to a page of the entity.
    public func turn(toPage page: Int) { state.withLock { $0.page = page } }

    /// Notes what is being done while `body` works, and afterwards what was being done before.
    public func during<R, E: Error>(
        _ step: Step, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(E) -> R
    ) async throws(E) -> R {
        let before = state.withLock { state in
            let before = state.step
            (state.step, state.since) = (step, .now)
            return before
        }
        defer { state.withLock { ($0.step, $0.since) = (before, .now) } }
        return try await body()
    }
}
