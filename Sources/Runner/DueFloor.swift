import Queue
import Synchronization

/// From when on a claim must look for due jobs: below it in the index lie only dead entries and
/// running jobs (docs/decisions/0017).
///
/// A bound, not the truth: `oldest_due` is asked now and then for what it misses, and whoever makes
/// older jobs due says so in the notification.
final class DueFloor: Sendable {
    /// A transaction writes its own start as a job's `due_at` and commits later: so much later is
    /// usual.
    private static let margin: Int64 = 500_000

    /// Tenants with a bound of their own; with more of them each claim would carry a long list.
    private static let tenantsMax = 1000

    /// What a claim goes by.
    struct Ticket: Sendable {
        /// Microseconds since 1970 by the database's clock; `Int64.min`: the beginning.
        let since: Int64
        /// The same of tenants that did not get all they have due.
        let tenants: [Int64: Int64]
        fileprivate let lowerings: Int
    }

    private struct State {
        var since = Int64.min
        var tenants: [Int64: Int64] = [:]
        var lowerings = 0
    }

    private let state = Mutex(State())

    /// From when on a claim that begins now must look.
    func ticket() -> Ticket {
        state.withLock {
            Ticket(since: $0.since, tenants: $0.tenants, lowerings: $0.lowerings)
        }
    }

    /// A claim told what still waits.
    ///
    /// Void when the floor was lowered since the claim began: it may not have seen what for.
    func note(_ waiting: WaitingJobs?, by ticket: Ticket) {
        guard let waiting, waiting.tenants.count <= Self.tenantsMax else { return }
        state.withLock { state in
            guard state.lowerings == ticket.lowerings else { return }
            state.since = max(state.since, waiting.since - Self.margin)
            state.tenants = waiting.tenants
        }
    }

    /// Jobs have become due from `time` on; nil: at any time.
    func lower(to time: Int64?) {
        state.withLock { state in
            let time = time ?? .min
            state.since = min(state.since, time)
            state.tenants = state.tenants.mapValues { min($0, time) }
            state.lowerings += 1
        }
    }
}
