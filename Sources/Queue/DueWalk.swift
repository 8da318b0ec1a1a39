/// How far a worker has walked what is due: all up to a front, but for a gap.
struct DueWalk: Sendable {
    typealias Position = DueJobs.Position

    /// A transaction writes its own start as a job's due time and commits later, usually less than two seconds:
    /// what did so since the last look back, a second ago, lies within three.
    private static let margin: Int64 = 3_000_000
    /// So far back the front is moved; what is older becomes a gap, which is walked in large steps.
    private static let nearBy: Int64 = 5_000_000
    /// The front is looked at so often, in seconds, while there is more to look at.
    private static let frontPace = 0.02

    private var front = Position.beginning
    private var gap: (start: Position, end: Position)?
    /// Somebody asked to look again from here on.
    private var asked: Int64?
    /// The gap that follows the present one.
    private var again: Position?
    private var lookedBackAt = -Double.infinity
    private var lookedInFrontAt = -Double.infinity
    private var isRefillNext = false
    private var gapBeganAt = 0.0
    /// Before then it does not look behind again.
    private var looksBehindAt = -Double.infinity
    /// The gap is of what was never seen, and not looked at again.
    private(set) var isCatchingUp = false

    /// Whether there is something due that was not looked at.
    var isBehind: Bool { gap != nil || again != nil || asked.map { !isNearBy($0) } ?? false }

    private func isNearBy(_ time: Int64) -> Bool {
        front.time == .min || time >= front.time - Self.nearBy
    }

    /// Jobs are due from `time` on that were not before.
    mutating func lookAgain(from time: Int64) {
        asked = min(asked ?? time, time)
    }

    /// Looks at everything again, in case it was passed over; a long walk takes a fiftieth of the time at most.
    mutating func lookBehind(at now: Double) {
        guard now >= looksBehindAt, gap == nil else { return }
        lookAgain(from: .min)
    }

    /// Moves the front back to what somebody asked for, and once a second by what commits late.
    mutating func lookBack(at now: Double) {
        if now - lookedBackAt >= 1, front.time > .min {
            lookedBackAt = now
            lookAgain(from: front.time - Self.margin)
        }
        guard let time = asked else { return }
        asked = nil
        let start = time == .min ? Position.beginning : Position.after(time - 1)
        if start < front {
            if isNearBy(time) {
                front = start
            } else {
                again = min(again ?? start, start)
            }
        }
        if gap == nil, let start = again {
            gap = (start, front)
            again = nil
            gapBeganAt = now
        }
    }

    /// What the next statement looks at.
    mutating func next(mayRefill: Bool, at now: Double) -> ClaimTicket.Look {
        guard gap != nil || mayRefill else { return .front }
        if now - lookedInFrontAt >= Self.frontPace { return .front }
        guard gap != nil, mayRefill else { return mayRefill ? .refill : .gap }
        isRefillNext.toggle()
        return isRefillNext ? .refill : .gap
    }

    /// Where a look begins and ends; an end of nil is now.
    func span(
        of look: ClaimTicket.Look, _ refillStart: DueJobs.Position?
    ) -> (DueJobs.Position, DueJobs.Position?) {
        switch look {
        case .gap: (gap?.start ?? front, gap?.end)
        case .refill: (refillStart ?? front, front)
        default: (front, nil)
        }
    }

    /// Notes how far a statement has walked.
    mutating func note(_ helping: Helping, by ticket: ClaimTicket, at now: Double) {
        guard let looked = helping.looked else { return }
        switch ticket.look {
        case .take, .front:
            lookedInFrontAt = now
            front = .after(helping.at)
            guard helping.isCut else { break }
            if gap == nil { gapBeganAt = now }
            gap = (min(gap?.start ?? looked, looked), front)
            isCatchingUp = true
        case .gap:
            if helping.isCut { gap?.start = looked } else { endGap(at: now) }
        case .refill: break
        }
        // The server's clock was set back.
        if front.time > helping.at { front = .after(helping.at) }
    }

    /// Notes that nothing is due in front, by the database's time.
    mutating func noteNothing(until time: Int64, at now: Double) {
        lookedInFrontAt = now
        front = .after(time)
    }

    private mutating func endGap(at now: Double) {
        gap = nil
        isCatchingUp = false
        looksBehindAt = now + 50 * (now - gapBeganAt)
    }
}
