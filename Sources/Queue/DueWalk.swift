/// How far a worker has walked what is due: all up to a front, but for a gap.
///
/// What many workers are behind at once they walk in parts: each its own at once, and those of the others when it
/// has not enough to claim: at once where much is left of them, else in a fiftieth of its time; and in a five-hundredth
/// when it has enough. Whoever walks a part claims from its
/// beginning on, so a look at its last quarter tells how much is left.
struct DueWalk: Sendable {
    typealias Position = DueJobs.Position

    /// How much of a span waits.
    private enum Stock {
        case unknown
        /// Nearly nothing, as far as a look has come.
        case lean
        /// Something, as a look has shown.
        case rich
    }

    private struct Span {
        var start: Position
        var end: Position
        var stock = Stock.unknown

        /// Where its last quarter begins.
        var lastQuarter: Position {
            let times = Double(end.time - max(start.time, 0))
            return max(start, .after(end.time - Int64(times / 4)))
        }
    }

    /// A transaction writes its own start as a job's due time and commits later, usually less than two seconds:
    /// what did so since the last look back, a second ago, lies within three.
    private static let margin: Int64 = 3_000_000
    /// So far back the front is moved; what is older becomes a gap, which is walked in large steps.
    private static let nearBy: Int64 = 5_000_000
    /// The front is looked at so often, in seconds, while there is more to look at.
    private static let frontPace = 0.02
    /// More spans than these are walked as one.
    private static let restMax = 16

    private var front = Position.beginning
    private var gap: Span?
    /// What else was not seen yet: others' parts.
    private var rest: [Span] = []
    /// All that was to be walked in parts, and for which rank among how many it was parted.
    private var whole: (span: Span, rank: Int, workers: Int)?
    /// The gap is another's part.
    private var isOthersPart = false
    /// The gap is a part's last quarter, and what lies before it the first of the rest.
    private var isQuarter = false
    private var rank = 0
    private var workers = 1
    /// Less is remembered than could be claimed.
    var isHungry = true
    /// Somebody asked to look again from here on.
    private var asked: Int64?
    /// The gap that follows the present one.
    private var again: Position?
    private var lookedBackAt = -Double.infinity
    private var lookedInFrontAt = -Double.infinity
    private var isRefillNext = false
    /// Seconds that looks at gaps took since there was none.
    private var walked = 0.0
    private var gapLookBeganAt = 0.0
    /// Before then it does not look at another's part.
    private var looksOnAt = -Double.infinity
    /// Before then it does not look behind again.
    private var looksBehindAt = -Double.infinity
    /// The gap is of what was never seen, and not looked at again.
    private(set) var isCatchingUp = false

    /// Whether there is something due that was not looked at.
    var isBehind: Bool {
        mayWalkOn || again != nil || asked.map { !isNearBy($0) } ?? false
    }

    private var mayWalkOn: Bool {
        gap.map { !isOthersPart || isHungry && $0.stock != .lean } ?? false
    }

    /// Whether it is time for a look at what others walk, also at little.
    func looksOn(at now: Double) -> Bool { gap != nil && now >= looksOnAt }

    private func isNearBy(_ time: Int64) -> Bool {
        front.time == .min || time >= front.time - Self.nearBy
    }

    /// This worker's place among the living, from 0, and how many these are.
    ///
    /// What was not seen yet is parted anew before the next look: workers that start together learn of each other while
    /// they walk, and what one that died was to walk is others' then.
    mutating func note(rank: Int, of workers: Int) { (self.rank, self.workers) = (rank, workers) }

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
        partAnew()
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
        if gap == nil || isOthersPart, let start = again {
            leaveGap()
            gap = Span(start: start, end: front)
            (again, isOthersPart) = (nil, false)
        }
    }

    /// What the next statement looks at.
    mutating func next(mayRefill: Bool, at now: Double) -> ClaimTicket.Look {
        let mayWalk = mayWalkOn || looksOn(at: now)
        guard mayWalk || mayRefill else { return .front }
        if now - lookedInFrontAt >= Self.frontPace { return .front }
        isRefillNext = mayRefill && (!mayWalk || !isRefillNext)
        guard !isRefillNext else { return .refill }
        gapLookBeganAt = now
        guard let gap, isOthersPart, isHungry, gap.stock == .unknown else { return .gap }
        isQuarter = gap.lastQuarter > gap.start
        if isQuarter {
            rest.insert(Span(start: gap.start, end: gap.lastQuarter), at: 0)
            self.gap?.start = gap.lastQuarter
        }
        return .probe
    }

    /// Where a look begins and ends; an end of nil is now.
    func span(
        of look: ClaimTicket.Look, _ refillStart: DueJobs.Position?
    ) -> (DueJobs.Position, DueJobs.Position?) {
        switch look {
        case .gap, .probe: (gap?.start ?? front, gap?.end)
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
            // It may lie behind the last: a server's clock can be set back.
            front = .after(helping.at)
            if helping.isCut { begin(Span(start: looked, end: front)) }
        case .gap, .probe:
            walked += now - gapLookBeganAt
            looksOnAt = now + (isHungry ? 50 : 500) * (now - gapLookBeganAt)
            if ticket.look == .probe { return noteProbe(looked, helping, at: now) }
            if isOthersPart { gap?.stock = helping.isLean ? .lean : .rich }
            if helping.isCut { gap?.start = looked } else { endGap(at: now) }
        case .refill: break
        }
    }

    /// Notes that nothing is due in front, by the database's time.
    mutating func noteNothing(until time: Int64, at now: Double) {
        lookedInFrontAt = now
        front = .after(time)
    }

    /// There is more due than a look at the front saw: `span` was not seen.
    private mutating func begin(_ span: Span) {
        if let gap, !isOthersPart {
            guard let parted = whole?.span else {
                // It looks again at everything, and nobody else does.
                self.gap = Self.hull([gap, span])
                isCatchingUp = true
                return
            }
            whole = Self.hull([parted, span]).map { ($0, -1, 0) }
        } else {
            whole = (span, -1, 0)
        }
        leaveGap()
        leave(span)
        partAnew()
    }

    /// Parts what was not seen, unless that was done for the same rank among as many workers.
    private mutating func partAnew() {
        guard let (span, rank, workers) = whole, (rank, workers) != (self.rank, self.workers)
        else { return }
        whole = (span, self.rank, self.workers)
        leaveGap()
        let unseen = rest
        rest = []
        var own: Span?
        let part = self.workers > 1 ? part(of: span) : Self.hull(unseen)
        for span in unseen {
            guard let part, max(span.start, part.start) < min(span.end, part.end) else {
                leave(span)
                continue
            }
            let mine = Span(start: max(span.start, part.start), end: min(span.end, part.end))
            own = Self.hull([own ?? mine, mine])
            if mine.end < span.end { leave(Span(start: mine.end, end: span.end)) }
            if span.start < mine.start { leave(Span(start: span.start, end: mine.start)) }
        }
        if let own {
            (gap, isOthersPart, isCatchingUp) = (own, false, true)
        } else {
            goOn()
        }
    }

    /// This worker's part of a span: of n equal spans of time the one of its rank; nil: that can't be told.
    private func part(of span: Span) -> Span? {
        let times = Double(span.end.time - span.start.time)
        let start = span.start.time + Int64(times * Double(rank) / Double(workers))
        let end = min(span.end.time, start + Int64(times / Double(workers)) + 1)
        guard start < end else { return nil }
        return Span(
            start: max(span.start, .after(start - 1)),
            end: end < span.end.time ? .after(end) : span.end)
    }

    /// The last quarter of another's part was looked at: much of it waits, or all of it can wait.
    private mutating func noteProbe(
        _ looked: Position, _ helping: Helping, at now: Double
    ) {
        if isQuarter { rest[0].stock = helping.isLean ? .lean : .unknown }
        guard helping.isCut else { return endGap(at: now) }
        gap?.start = looked
        gap?.stock = helping.isLean ? .lean : .rich
        guard let gap, gap.stock == .lean else { return }
        rest.append(gap)
        endGap(at: now)
    }

    /// Others walk it first.
    private mutating func leave(_ span: Span) {
        rest.append(span)
        if rest.count > Self.restMax, let all = Self.hull(rest) { rest = [all] }
    }

    private static func hull(_ spans: [Span]) -> Span? {
        guard let start = spans.map(\.start).min(), let end = spans.map(\.end).max() else {
            return nil
        }
        return Span(start: start, end: end)
    }

    private mutating func leaveGap() {
        if let gap { leave(gap) }
        gap = nil
    }

    /// Goes on with what else was not seen: first where something may wait.
    private mutating func endGap(at now: Double) {
        goOn()
        guard gap == nil else { return }
        whole = nil
        looksBehindAt = now + 50 * walked
        walked = 0
    }

    private mutating func goOn() {
        isCatchingUp = false
        isOthersPart = !rest.isEmpty
        gap = rest.isEmpty ? nil : rest.remove(at: rest.firstIndex { $0.stock != .lean } ?? 0)
    }
}
