import Synchronization

/// Says whose turn it is among the workers of one database: of n workers each has every n-th turn.
///
/// Heartbeats tell a worker its rank among the living and the database's time. A turn is a span of that
/// clock, so nobody has to write down who had one. When a worker dies, its turns are nobody's until the
/// others' ranks close up.
final class Rotation: Sendable {
    /// So many workers of a database listen: a notification wakes every session that does.
    static let listenersMax = 8
    /// Between two listeners that a notification woke, so that the first takes what one is enough for.
    private static let gap = Duration.milliseconds(8)

    private struct State {
        var isKnown = false
        var rank = 0
        var workers = 1
        /// The database's clock less ours.
        var offset = 0.0
        /// Jobs that were announced in a row, and when the last of them were.
        var announced = 0
        var announcedAt = -Double.infinity
        /// The turn at which it was asked last, of each period.
        var last: [Duration: Int] = [:]

        /// This worker's place among the listeners, from 0.
        func order(at time: Double) -> Int {
            (rank + Int(time / Rotation.firstFor)) % min(workers, Rotation.listenersMax)
        }
    }

    /// Notifications that come so close together, in seconds, are one row.
    private static let rowGap = 0.05
    /// For so long, in seconds, the same listener is first: its sessions have their plans.
    private static let firstFor = 60.0

    private let state = Mutex(State())
    private let start = ContinuousClock.now

    /// What a heartbeat told; `time` is the database's, in seconds.
    ///
    /// Returns whether it was the first.
    @discardableResult
    func update(rank: Int, of workers: Int, at time: Double) -> Bool {
        state.withLock { state in
            defer { state.isKnown = true }
            state.rank = max(0, rank)
            state.workers = max(1, workers)
            state.offset = time - sinceStart
            return !state.isKnown
        }
    }

    /// Whether a heartbeat has told this worker's rank.
    var isKnown: Bool { state.withLock { $0.isKnown } }

    /// Whether this worker is one of those that listen.
    var isListener: Bool { state.withLock { $0.rank < Self.listenersMax } }

    /// How many workers of the database live.
    var workers: Int { state.withLock { $0.workers } }

    /// Whether a chore that is done each `period` is this worker's now; once a turn.
    ///
    /// A turn that went by since the last question counts too. Otherwise a worker that asks a little less often
    /// than once in a period would miss turns, and a dead worker would be noticed later.
    func isOurs(each period: Duration, at time: Double? = nil) -> Bool {
        let time = time ?? now
        let turn = Int(time / (period / .seconds(1)))
        return state.withLock { state in
            // The database's clock may have been set back.
            let last = state.last[period].flatMap { $0 > turn ? nil : $0 } ?? turn - 1
            state.last[period] = turn
            guard last < turn else { return false }
            let since = max(last, turn - state.workers)
            return (since + 1...turn).contains { $0 % state.workers == state.rank % state.workers }
        }
    }

    /// Whether this worker looks for jobs that were announced, or leaves them to the listeners before it.
    ///
    /// As many look as there are jobs, and one more: the first may have no slot free. The others add up what they leave
    /// within a twentieth of a second, so that of a row of notifications all have a part. Nil when nobody has counted
    /// the jobs.
    func answers(_ jobs: Int?, at time: Double? = nil) -> Bool {
        let time = time ?? now
        return state.withLock { state in
            if time - state.announcedAt > Self.rowGap { state.announced = 0 }
            state.announcedAt = time
            // What is announced may be anything: any login may notify.
            state.announced += min(max(0, jobs ?? Self.listenersMax), Self.listenersMax)
            return state.order(at: time) <= state.announced
        }
    }

    /// How long this worker leaves what was just announced to others.
    func delay(at time: Double? = nil) -> Duration {
        let time = time ?? now
        return state.withLock { Self.gap * $0.order(at: time) }
    }

    private var sinceStart: Double { (ContinuousClock.now - start) / .seconds(1) }
    private var now: Double { state.withLock { $0.offset } + sinceStart }
}
