/// How far a worker has looked at what is due: all before a front, but for ranges that are still to be looked at.
///
/// Becoming due goes by the clock, so what became due since the last look lies behind the front. A job that comes to
/// wait before it is seen because the front is moved back over transactions that commit late, and because what became
/// due in the past is announced.
struct DueCursor: Sendable {
    /// A part of `jobs_due` that is to be looked at.
    struct Range: Sendable, Equatable {
        var start: DuePosition
        /// Microseconds since 1970, included.
        var end: Int64
        /// Something in it came to wait after the scan of the tenants had begun, which may have passed its tenant by.
        var isNews = false
    }

    /// A transaction writes its own start as a job's due time and commits later, nearly always within this time, in
    /// microseconds.
    private static let lateCommit: Int64 = 3_000_000
    /// What is announced and no older than this is looked at by moving the front back, in microseconds.
    private static let nearBy: Int64 = 5_000_000
    /// With more ranges than this they are looked at as one.
    private static let rangesMax = 8
    /// The time that one look at a range is to take, where ranges have to be cut into slices, in seconds.
    private static let sliceTime = 0.1
    /// The first slice is so long, in microseconds.
    private static let sliceFirst: Int64 = 1_000_000
    /// A slice that takes too long and is no longer than this is left to the scan of the tenants, in microseconds.
    private static let sliceLeast: Int64 = 1_000
    /// Slices end here, in microseconds since 1970.
    ///
    /// Of what is older, only jobs that are due since -infinity have such a time.
    private static let oldest: Int64 = 0

    /// All that became due before it has been seen, but for the ranges.
    private(set) var front = DuePosition.beginning
    /// The one that is looked at next is the last.
    private(set) var ranges: [Range] = []
    /// How long the next slice is; nil when ranges are looked at whole, a look at a time.
    private var slice: Int64?
    private var rewoundAt = -Double.infinity
    /// The front was moved back over what was seen.
    private(set) var isRewound = false
    /// A look at the front took too long: the next one only asks for the time, and leaves all since the front as a
    /// range.
    private var isFrontSkipped = false
    /// A slice was left to the scan of the tenants.
    private(set) var hasDropped = false

    /// Whether all that is due was looked at, but for a slice that was dropped.
    var isCaughtUp: Bool { ranges.isEmpty && !isFrontSkipped }

    /// From where on the front is looked at.
    var frontStart: DuePosition {
        isFrontSkipped ? .end : front
    }

    /// The range of the next look, cut to a slice where that is needed; nil when there is none.
    var next: Range? {
        guard let last = ranges.last, let slice,
            last.end - slice > max(last.start.time, Self.oldest)
        else { return ranges.last }
        return Range(start: .from(last.end - slice), end: last.end, isNews: last.isNews)
    }

    /// Moves the front back over what may have committed late: of `workers`, three do so in each second, one after
    /// the other by rank; of fewer each does.
    mutating func rewindForLateCommits(rank: Int = 0, of workers: Int, at now: Double) {
        let pace = max(1, Double(workers) / 3)
        guard front.time > .min, now - rewoundAt >= pace else { return }
        let isFirst = rewoundAt == -.infinity
        rewoundAt = isFirst ? now - pace * Double(rank) / Double(max(1, workers)) : now
        rewind(to: front.time - Self.lateCommit)
    }

    /// Jobs are due from `time` on that were not before; returns whether that is so near that the front was moved.
    mutating func announce(dueFrom time: Int64) -> Bool {
        guard front.time > .min, time >= front.time - Self.nearBy else { return front.time == .min }
        rewind(to: time)
        return true
    }

    private mutating func rewind(to time: Int64) {
        isRewound = true
        front = min(front, .from(time))
    }

    /// All from `start` up to the front is looked at once more.
    mutating func rescan(from start: DuePosition = .beginning) {
        guard front.time > .min else { return }
        push(Range(start: start, end: front.time, isNews: true))
    }

    /// A look at the front has come to its end, or was cut off and left the rest of what is due as a range.
    ///
    /// What was announced while it was under way, and lies before its `start`, is looked at by the next.
    mutating func lookedAtFront(from start: DuePosition, _ due: DueTenants) {
        let announced = !isFrontSkipped && front < start ? front : nil
        if isFrontSkipped {
            push(Range(start: front, end: due.now))
            slice = slice ?? Self.sliceFirst
            isFrontSkipped = false
        } else if due.isCut {
            push(Range(start: due.reached, end: due.now))
        }
        isRewound = announced != nil
        // It may lie behind the last: a server's clock can be set back.
        front = announced ?? .from(due.now)
    }

    /// A look at a range has come so far.
    mutating func looked(at range: Range, _ due: DueTenants, took seconds: Double) {
        guard
            let index = ranges.lastIndex(where: {
                $0.end == range.end && $0.start <= range.start
            })
        else { return }
        if let slice {
            let fitting = Double(slice) * min(2, max(0.25, Self.sliceTime / max(seconds, 1e-6)))
            self.slice = max(Self.sliceLeast, Int64(min(fitting, 1e18)))
        }
        let isNews = ranges[index].isNews
        let rest = Range(start: ranges[index].start, end: range.start.time, isNews: isNews)
        ranges.remove(at: index)
        if range.start > rest.start { ranges.append(rest) }
        if due.isCut {
            ranges.append(Range(start: due.reached, end: range.end, isNews: isNews))
        }
        if ranges.isEmpty { slice = nil }
    }

    /// A look took too long: what is looked at is nearly all dead entries, which no limit counts.
    ///
    /// From then on ranges are looked at in slices of time, the youngest first, for that is where something waits.
    mutating func lookFailed(atFront: Bool) {
        if atFront {
            isFrontSkipped = true
        } else {
            if slice == Self.sliceLeast, let range = next { drop(range) }
            slice = slice.map { max(Self.sliceLeast, $0 / 4) } ?? Self.sliceFirst
        }
    }

    /// Leaves the slice at the end of the last range to the scan of the tenants.
    private mutating func drop(_ slice: Range) {
        hasDropped = true
        guard let last = ranges.indices.last else { return }
        if slice.start > ranges[last].start {
            ranges[last].end = slice.start.time - 1
        } else {
            ranges.remove(at: last)
        }
    }

    /// A scan of the tenants begins: it will see all that waits now.
    mutating func scanBegins() {
        for index in ranges.indices { ranges[index].isNews = false }
    }

    /// Every tenant was asked since `time` was the front, so that what was due by then is known.
    mutating func scanEnded(begunAt time: Int64) {
        ranges.removeAll { $0.end <= time && !$0.isNews }
        if ranges.isEmpty { slice = nil }
    }

    /// What was dropped was looked for by a scan.
    mutating func forgetDropped() { hasDropped = false }

    private mutating func push(_ range: Range) {
        var range = range
        let covered = ranges.filter { $0.start >= range.start && $0.end <= range.end }
        range.isNews = range.isNews || covered.contains(where: \.isNews)
        ranges.removeAll { $0.start >= range.start && $0.end <= range.end }
        ranges.append(range)
        guard ranges.count > Self.rangesMax, let start = ranges.map(\.start).min(),
            let end = ranges.map(\.end).max()
        else { return }
        ranges = [Range(start: start, end: end, isNews: true)]
    }
}
