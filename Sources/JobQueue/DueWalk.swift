/// How far a worker has walked what is due: all up to a front, but for a gap that it walks now, and the rest.
///
/// What many workers are behind at once they walk in parts: each its own at once, and those of the others when it
/// has not enough to claim: at once where much is left of them, else in a fiftieth of its time; and in a five-hundredth
/// when it has enough. Whoever walks a part claims from its beginning on, so a look at its last quarter tells how much
/// is left; where that is empty, as when all of it became due at one moment, its beginning tells.
struct DueWalk: Sendable {
    typealias Position = DueJobs.Position

    /// A transaction writes its own start as a job's due time and commits later, usually less than two seconds:
    /// what did so since the last look back, a second ago, lies within three.
    private static let margin: Int64 = 3_000_000
    /// So far back the front is moved; what is older becomes a gap, which is walked in large steps.
    private static let nearBy: Int64 = 5_000_000
    /// The front is looked at so often, in seconds, while there is more to look at.
    private static let frontPace = 0.02
    /// More spans than these are walked as one of each kind.
    private static let restMax = 16
    /// A look at others' parts is worth so many pauses of its length, for a worker that could claim more, and for one that has enough.
    private static let pauses = (hungry: 50.0, fed: 500.0)
    /// And a look at what was seen before so many.
    private static let pausesBehind = 50.0
    /// What was seen before is looked at in so many pieces: it may be nearly all dead entries, which no look counts.
    private static let piecesBehind: Int64 = 16
    /// Microseconds; what is older is one piece when all is done.
    private static let memoryBehind: Int64 = 3_600_000_000

    private var front = Position.beginning
    private var gap: DueSpan?
    private var rest: [DueSpan] = []
    /// From the oldest to the youngest of what was not seen since there was no gap; parted anew when ranks change.
    private var whole: DueSpan?
    /// For which rank among how many workers it was parted.
    private var parted = (rank: 0, workers: 1)
    private var rank = 0
    private var workers = 1
    /// The gap is a part's last quarter, and what lies before it the first of the rest.
    private var isQuarter = false
    /// Less is remembered than could be claimed.
    var isHungry = true
    /// Somebody asked to look again from here on.
    private var asked: Int64?
    private var lookedBackAt = -Double.infinity
    private var lookedInFrontAt = -Double.infinity
    private var isRefillNext = false
    private var isFrontNext = false
    private var gapLookBeganAt = 0.0
    private var gapLookEndedAt = 0.0
    /// Seconds of looks at what was seen before.
    private var tookBehind = 0.0
    /// Before then it does not look behind again.
    private var looksBehindAt = -Double.infinity
    private var isToLookBehind = false
    /// The oldest that was found, or of an hour ago.
    private var oldest: Int64?

    /// The gap is of what was never seen, and this worker's to walk.
    var isCatchingUp: Bool { gap?.kind == .own }

    /// Whether there is something due that was not looked at.
    var isBehind: Bool { mayWalkOn || isToLookBehind || asked.map { !isNearBy($0) } ?? false }

    private var mayWalkOn: Bool {
        gap.map { $0.kind != .others || isHungry && $0.stock != .lean } ?? false
    }

    /// Whether it is time for a look at what others walk, also at little.
    func looksOn(at now: Double) -> Bool {
        guard gap != nil else { return false }
        let pauses = isHungry ? Self.pauses.hungry : Self.pauses.fed
        return now >= gapLookEndedAt + pauses * (gapLookEndedAt - gapLookBeganAt)
    }

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

    /// Looks at everything again, in case it was passed over, or while others' parts are left at its own part; a long walk
    /// takes a fiftieth of the time at most.
    mutating func lookBehind(at now: Double) {
        // A statement may be under way that looks at the gap: it is set aside before the next.
        if now >= looksBehindAt { isToLookBehind = true }
    }

    private mutating func startLookBehind() {
        guard isToLookBehind, gap == nil || gap?.kind == .others else { return }
        isToLookBehind = false
        guard gap != nil else { return lookAgain(from: .min) }
        leave(ownPartOfAll)
        setGapAside()
    }

    /// All that is due, as far as this worker is to walk it before others.
    private var ownPartOfAll: DueSpan {
        let all = DueSpan(start: .beginning, end: front, kind: .again)
        guard let part = whole?.part(of: rank, among: workers) else { return all }
        return DueSpan(
            start: rank == 0 ? all.start : part.start,
            end: rank >= workers - 1 ? all.end : part.end, kind: .again)
    }

    /// Moves the front back to what somebody asked for, and once a second by what commits late.
    mutating func lookBack(at now: Double) {
        partAnew()
        startLookBehind()
        if now - lookedBackAt >= 1, front.time > .min {
            lookedBackAt = now
            lookAgain(from: front.time - Self.margin)
        }
        guard let time = asked else { return }
        asked = nil
        let start = time == .min ? Position.beginning : Position.after(time - 1)
        guard start < front else { return }
        guard !isNearBy(time) else {
            front = start
            return
        }
        leave(DueSpan(start: start, end: front, kind: .again))
        if gap?.kind != .own, gap?.kind != .again { setGapAside() }
    }

    /// What the next statement looks at.
    mutating func next(mayRefill: Bool, at now: Double) -> ClaimTicket.Look {
        let mayWalk = mayWalkOn || looksOn(at: now)
        guard mayWalk || mayRefill else { return .front }
        // Not twice in a row: claims may be as far apart, and the front's jobs enough for each.
        isFrontNext = now - lookedInFrontAt >= Self.frontPace && !isFrontNext
        guard !isFrontNext else { return .front }
        isRefillNext = mayRefill && (!mayWalk || !isRefillNext)
        guard !isRefillNext else { return .refill }
        gapLookBeganAt = now
        guard let gap, gap.kind == .others, isHungry, [.unknown, .endsEmpty].contains(gap.stock)
        else { return .gap }
        let quarter = gap.lastQuarter
        isQuarter = gap.stock == .unknown && quarter > gap.start
        if isQuarter {
            rest.insert(DueSpan(start: gap.start, end: quarter, kind: .others), at: 0)
            self.gap?.start = quarter
        }
        return .probe
    }

    /// Where a look begins and ends; an end of nil is now.
    func span(
        of look: ClaimTicket.Look, _ refillStart: DueJobs.Position?
    ) -> (DueJobs.Position, DueJobs.Position?) {
        switch look {
        case .gap, .probe: (gap?.start ?? front, pieceEnd ?? gap?.end)
        case .refill: (refillStart ?? front, front)
        default: (front, nil)
        }
    }

    /// Where the next look at what was seen before ends; nil: where the gap does.
    private var pieceEnd: Position? {
        guard let gap, gap.kind == .again, let oldest, front.time > oldest else { return nil }
        let piece = (front.time - oldest) / Self.piecesBehind + 1
        let end = Position.after(max(gap.start.time, oldest) + piece)
        return end < gap.end ? end : nil
    }

    /// Notes how far a statement has walked.
    mutating func note(_ helping: Helping, by ticket: ClaimTicket, at now: Double) {
        guard let looked = helping.looked else { return }
        if let found = helping.found.first?.job.position.time, found > .min {
            oldest = min(oldest ?? found, found)
        }
        switch ticket.look {
        case .take, .front:
            lookedInFrontAt = now
            // It may lie behind the last: a server's clock can be set back.
            front = .after(helping.at)
            if helping.isCut { begin(DueSpan(start: looked, end: front, kind: .own)) }
        case .gap, .probe:
            gapLookEndedAt = now
            if gap?.kind == .again { tookBehind += now - gapLookBeganAt }
            noteGap(looked, helping, ticket.look, upTo: ticket.end, at: now)
        case .refill: break
        }
    }

    /// Notes that nothing is due in front, by the database's time.
    mutating func noteNothing(until time: Int64, at now: Double) {
        lookedInFrontAt = now
        front = .after(time)
    }

    private mutating func noteGap(
        _ looked: Position, _ helping: Helping, _ look: ClaimTicket.Look, upTo end: Position?,
        at now: Double
    ) {
        if look == .probe, isQuarter {
            rest[0].stock =
                helping.lookedCount == 0 ? .endsEmpty : helping.isLean ? .lean : .unknown
        }
        guard helping.isCut else {
            guard let end, let last = gap?.end, end < last else { return endGap(at: now) }
            gap?.start = end
            return
        }
        gap?.start = looked
        guard gap?.kind == .others else { return }
        gap?.stock = helping.isLean ? .lean : .rich
        // All of it can wait: another may have more.
        if helping.isLean { setGapAside() }
    }

    /// There is more due than a look at the front saw: `span` was not seen.
    private mutating func begin(_ span: DueSpan) {
        if whole == nil { parted = (rank, workers) }
        whole = DueSpan.hull([whole, span].compactMap { $0 })
        for part in span.parted(by: span.part(of: parted.rank, among: parted.workers)) {
            leave(part)
        }
        if gap?.kind != .own { setGapAside() }
    }

    /// Parts what was not seen, unless that was done for the same rank among as many workers.
    private mutating func partAnew() {
        guard let whole, parted != (rank, workers) else { return }
        parted = (rank, workers)
        let part = whole.part(of: rank, among: workers)
        let unseen = [gap].compactMap { $0 } + rest
        (gap, rest) = (nil, [])
        for span in unseen {
            for part in span.kind == .again ? [span] : span.parted(by: part) { leave(part) }
        }
        goOn()
    }

    /// Keeps a span for later; what continues another is one with it.
    private mutating func leave(_ span: DueSpan) {
        if let gap, gap.kind == .own, gap.continues(span) {
            self.gap = DueSpan.hull([gap, span])
            return
        }
        if let place = rest.firstIndex(where: { $0.continues(span) }) {
            rest[place].start = min(rest[place].start, span.start)
            rest[place].end = max(rest[place].end, span.end)
            return
        }
        rest.append(span)
        guard rest.count > Self.restMax else { return }
        rest = [DueSpan.Kind.own, .again, .others].compactMap { kind in
            DueSpan.hull(rest.filter { $0.kind == kind })
        }
    }

    private mutating func setGapAside() {
        if let gap {
            self.gap = nil
            leave(gap)
        }
        goOn()
    }

    private mutating func endGap(at now: Double) {
        if gap?.kind == .again {
            looksBehindAt = now + Self.pausesBehind * tookBehind
            tookBehind = 0
        }
        gap = nil
        goOn()
        guard gap == nil else { return }
        whole = nil
        oldest = oldest.map { max($0, max(0, front.time) - Self.memoryBehind) }
    }

    /// Goes on with the rest: first what nobody else walks, then where something may wait.
    private mutating func goOn() {
        let next =
            rest.firstIndex { $0.kind == .own } ?? rest.firstIndex { $0.kind == .again }
            ?? rest.firstIndex { $0.stock != .lean } ?? rest.indices.first
        gap = next.map { rest.remove(at: $0) }
    }
}
