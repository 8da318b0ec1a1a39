import Postgres
import Synchronization

/// Whether a worker would go on by itself, for whoever would start it anew.
///
/// It would not when a loop of its own stands still, or when its sessions fail though new ones would not. A database
/// that is away, refuses or hangs is neither: starting the worker anew would not mend it.
final class Liveness: Sendable {
    /// The loops that are watched.
    enum Loop: String, CaseIterable { case claims, heartbeat, supervision }

    private struct State {
        var cameRound: [Loop: ContinuousClock.Instant]
        var sessionTrouble: String?
    }

    private let state: Mutex<State>

    init() {
        let now = ContinuousClock.now
        state = Mutex(
            State(cameRound: Dictionary(uniqueKeysWithValues: Loop.allCases.map { ($0, now) })))
    }

    /// A loop begins another round.
    func round(_ loop: Loop, at now: ContinuousClock.Instant = .now) {
        state.withLock { $0.cameRound[loop] = now }
    }

    /// Why its sessions fail though new ones would not; nil when they don't.
    func setSessionTrouble(_ reason: String?) { state.withLock { $0.sessionTrouble = reason } }

    /// Nil when it goes on by itself.
    ///
    /// A heartbeat has a deadline, so that its loop always comes round. The others may wait for a database, and are
    /// looked at only while heartbeats get through.
    func trouble(
        heartbeatsWork: Bool, standstill: Duration, at now: ContinuousClock.Instant = .now
    ) -> String? {
        state.withLock { state in
            if let trouble = state.sessionTrouble { return "database: \(trouble)" }
            for loop in Loop.allCases where loop == .heartbeat || heartbeatsWork {
                guard let last = state.cameRound[loop], now - last >= standstill else { continue }
                return
                    "\(loop.rawValue): the loop stands still for \((now - last).components.seconds) s"
            }
            return nil
        }
    }
}

/// Tries, while the database is lost to the worker's sessions, whether a new one would do.
struct LivenessLoop: Sendable {
    private static let patience = Duration.seconds(10)

    let context: WorkerContext

    func run() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: context.settings.sessionTrial, clock: .continuous)
            context.liveness.setSessionTrouble(await sessionTrouble())
        }
    }

    private func sessionTrouble() async -> String? {
        guard let outage = context.outage.report(lasting: context.settings.sessionTrouble),
            outage.isOfSessions, await newSessionWorks(),
            context.outage.report(lasting: .zero) != nil
        else { return nil }
        return
            "its sessions fail for \(outage.lasting.components.seconds) s, and a new one would work"
    }

    private func newSessionWorks() async -> Bool {
        // As the worker would have it that is started anew: who goes back to an older server has to do so.
        var single = context.configuration.asAtFirst()
        single.lanes = 1
        let isReadOnly = try? await Database.withSessions(single) { database in
            try await database.run(deadline: .now + Self.patience) { session in
                try session.query(
                    .unprepared("select current_setting('transaction_read_only')::boolean")
                ).only().bool(0)
            }
        }
        return isReadOnly == false
    }
}
