import JobFiles
public import JobQueue
import Synchronization

/// What this worker may ask of sources: requests it has been granted, and places for requests at
/// the same time.
///
/// Grants come out of the one budget all workers share (`take_budget`).
public final class Budgets: Sendable {
    /// Longer than this a run does not sleep for a token at once: the bucket refills each second.
    private static let pauseMax = Duration.seconds(1)
    /// Nor for a shorter time: each look is a statement.
    private static let pauseMin = Duration.milliseconds(20)

    private struct Key: Hashable {
        var tenantID: Int64
        var source: String
    }

    /// Requests that were granted together.
    ///
    /// What is unused after a second is void: the bucket has
    /// been refilled by then, and what was hoarded would come on top of it in a later burst.
    private struct Grant {
        static let validity = Duration.seconds(1)
        var requests: Int
        var until: ContinuousClock.Instant
    }

    /// A gate, for as long as anybody is at it.
    private struct Door {
        let gate = Gate()
        var users = 0
    }

    private struct State {
        var granted: [Key: [Grant]] = [:]
        var doors: [Key: Door] = [:]
        var workers = 1
    }

    private let queue: Queue
    private let state = Mutex(State())

    /// Takes more from the shared budget through `queue` when what was granted is used up.
    public init(_ queue: Queue) {
        self.queue = queue
    }

    /// Adds what a batch was granted when it was opened.
    public func add(_ grant: SourceGrant) {
        guard grant.granted > 0 else { return }
        state.withLock { state in
            state.granted[Key(tenantID: grant.tenantID, source: grant.source), default: []].append(
                Grant(requests: grant.granted, until: .now + Grant.validity))
        }
    }

    /// Workers alive: a source's `concurrent` is shared out among them.
    public func setWorkers(_ count: Int) {
        state.withLock { $0.workers = max(count, 1) }
    }

    /// Waits for one request of the budget, at most until `deadline`.
    ///
    /// Throws `RunEnd.deferred` when the breaker is open. A run that `passesBreaker`, since the source has answered
    /// it already or a person asked for it, goes on all the same, at the budget's pace. The one request that an
    /// ending breaker grants would else never become a run that closes it.
    func take(
        tenant: Int64, source: Source, passesBreaker: Bool, until deadline: ContinuousClock.Instant
    ) async throws {
        guard let perSecond = source.rate?.perSecond else { return }
        let refill = Duration.seconds(1 / max(perSecond, 1))
        let pause = min(max(refill, Self.pauseMin), Self.pauseMax)
        let key = Key(tenantID: tenant, source: source.budgetName)
        while !takeGranted(key) {
            let request = BudgetRequest(
                tenantID: tenant, source: source.budgetName, requests: 4)
            let grant = try await queue.takeBudget(request)
            if grant.granted > 0 {
                add(grant)
                continue
            }
            if let blocked = grant.blocked, !passesBreaker {
                throw RunEnd.breakerOpen(source.budgetName, wait: blocked)
            }
            try await Task.sleep(until: min(.now + pause, deadline), clock: .continuous)
            guard ContinuousClock.now < deadline else { throw RunEnd.interrupted(.deadline) }
            if grant.blocked != nil { return }
        }
    }

    private func takeGranted(_ key: Key) -> Bool {
        state.withLock { state in
            let now = ContinuousClock.now
            var grants = state.granted[key] ?? []
            grants.removeAll { $0.until < now || $0.requests == 0 }
            // Users may choose hosts without number: of those that ask no more nothing is kept.
            defer { state.granted[key] = grants.isEmpty ? nil : grants }
            guard !grants.isEmpty else { return false }
            grants[0].requests -= 1
            return true
        }
    }

    /// Runs `body` in one of the places that `concurrent` leaves this worker.
    func withSlot<R>(tenant: Int64, source: Source, _ body: () async throws -> R) async throws -> R
    {
        guard let concurrent = source.rate?.concurrent else { return try await body() }
        let key = Key(tenantID: tenant, source: source.budgetName)
        let gate = state.withLock { state in
            var door = state.doors[key] ?? Door()
            door.users += 1
            state.doors[key] = door
            door.gate.setCapacity(max(1, concurrent / state.workers))
            return door.gate
        }
        defer {
            state.withLock { state in
                state.doors[key]?.users -= 1
                if state.doors[key]?.users == 0 { state.doors[key] = nil }
            }
        }
        try await gate.enter()
        defer { gate.leave() }
        return try await body()
    }
}
