/// How far a worker has looked at what is due, by time: all before the front was seen, or is left to a round of the
/// tenants.
///
/// Becoming due goes by the clock, so what became due since the last look lies behind the front. A job that comes to
/// wait before it is seen because the front is moved back: over transactions that commit late, over what became due in
/// the past and is announced, and to the beginning by a rescan.
struct DueFront: Sendable {
    /// One look: a thousand entries of `jobs_due` at most.
    struct Look: Sendable, Equatable {
        var start: DuePosition
        /// It may come to very many dead entries, which no limit counts, and has a second.
        var isLong: Bool
    }

    /// A transaction writes its own start as a job's due time and commits later, nearly always within this time, in
    /// microseconds.
    private static let lateCommit: Int64 = 3_000_000
    /// A look may begin so long before the time of the last one without being a long one, in microseconds.
    private static let nearBy: Int64 = 5_000_000
    /// After more looks in a row than this that were cut off, what remains is for a round of the tenants: as many as a
    /// round has questions, for then it is cheaper.
    var cutsMax = DueFront.cutsLeast
    /// The same while it is not known how long a round is.
    static let cutsLeast = 8

    private(set) var position = DuePosition.beginning
    /// The time of the last look by the database's clock, in microseconds since 1970.
    private(set) var seenAt = Int64.min
    /// All that was due then was looked at once, or was left to a round.
    private var wholeAt = Int64.min
    /// Looks in a row that were cut off, so that the front stands before what is due now.
    private var cuts = 0
    /// The next look only asks for the time: what lies between is for a round.
    private var isLeaping = false
    private var rewoundAt = -Double.infinity

    /// Whether the last look was cut off or took too long, or the front was moved far back since.
    var isBehind: Bool { cuts > 0 || isLeaping || seenAt > .min && next.isLong }

    /// The next look.
    var next: Look {
        let start = isLeaping ? .end : position
        return Look(
            start: start, isLong: seenAt == .min || start.time < seenAt - Self.nearBy)
    }

    /// Whether the last look was cut off among what became due since all was seen: tenants may wait that no look has met.
    ///
    /// A front that was moved back comes over what waits of known tenants first.
    var leavesNew: Bool { cuts > 0 && position.time > wholeAt }

    /// Moves the front back over what may have committed late: of `workers`, three do so in each second, one after
    /// the other by rank; of fewer each does.
    mutating func rewindForLateCommits(rank: Int = 0, of workers: Int, at now: Double) {
        let pace = max(1, Double(workers) / 3)
        guard !isBehind, position.time > .min, now - rewoundAt >= pace else { return }
        let isFirst = rewoundAt == -.infinity
        rewoundAt = isFirst ? now - pace * Double(rank) / Double(max(1, workers)) : now
        moveBack(to: .from(position.time - Self.lateCommit))
    }

    /// Whether the time lies so near that looking from there is a short look.
    func isNear(_ time: Int64) -> Bool { seenAt == .min || time >= seenAt - Self.nearBy }

    /// All from `start` on is looked at once more.
    mutating func moveBack(to start: DuePosition) {
        position = min(position, start)
    }

    /// A look has come so far.
    ///
    /// Returns whether what it left out is for a round of the tenants.
    mutating func looked(_ due: DueTenants) -> Bool {
        seenAt = due.now
        if due.isCut {
            cuts += 1
            position = due.reached
            isLeaping = cuts > cutsMax
            return false
        }
        defer { (cuts, isLeaping) = (0, false) }
        // It may lie behind the last: a server's clock can be set back.
        position = .from(due.now)
        wholeAt = due.now
        return isLeaping
    }

    /// A look took too long: what it came to is nearly all dead entries.
    mutating func lookFailed() { isLeaping = true }
}
