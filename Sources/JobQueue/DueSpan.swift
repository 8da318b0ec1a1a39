/// A span of due times that a worker has not seen, or is to see again.
struct DueSpan: Sendable {
    typealias Position = DueJobs.Position

    /// Who walks it.
    enum Kind: Sendable {
        /// This worker before all others.
        case own
        /// This worker, though it was seen: something may have been passed over.
        case again
        /// Another worker before this one.
        case others
    }

    /// How much of it waits.
    enum Stock: Sendable {
        case unknown
        /// Nothing was in its last quarter; its beginning tells more.
        case endsEmpty
        /// Nearly nothing, as far as a look has come.
        case lean
        /// Something, as a look has shown.
        case rich
    }

    var start: Position
    var end: Position
    var kind: Kind
    var stock = Stock.unknown

    /// Where its last quarter begins.
    var lastQuarter: Position {
        max(start, .after(end.time - Int64(length / 4)))
    }

    /// Microseconds; what was due for ever counts as due since 1970.
    private var length: Double { Double(end.time - firstTime) }
    private var firstTime: Int64 { max(start.time, 0) }

    /// The part of the worker with this rank: one of as many equal spans of time as there are workers; nil: that can't be told.
    func part(of rank: Int, among workers: Int) -> DueSpan? {
        guard workers > 1 else { return self }
        let first = firstTime + Int64(length * Double(rank) / Double(workers))
        let last = min(end.time, first + Int64(length / Double(workers)) + 1)
        guard first < last else { return nil }
        return DueSpan(
            start: rank == 0 ? start : max(start, .after(first - 1)),
            end: last < end.time ? .after(last) : end, kind: .own)
    }

    /// What of it lies in a worker's part, and what lies around that and is others'.
    func parted(by part: DueSpan?) -> [DueSpan] {
        guard let part, max(start, part.start) < min(end, part.end) else {
            return [DueSpan(start: start, end: end, kind: .others, stock: stock)]
        }
        let own = DueSpan(start: max(start, part.start), end: min(end, part.end), kind: .own)
        return [
            own, DueSpan(start: own.end, end: end, kind: .others),
            DueSpan(start: start, end: own.start, kind: .others),
        ].filter { $0.start < $0.end }
    }

    /// Whether the two are alike, and no other lies between them.
    func continues(_ other: DueSpan) -> Bool {
        kind == other.kind && stock == other.stock && start <= other.end && other.start <= end
    }

    /// From the first one's start to the last one's end; nil: there are none.
    static func hull(_ spans: [DueSpan]) -> DueSpan? {
        guard let start = spans.map(\.start).min(), let end = spans.map(\.end).max() else {
            return nil
        }
        return DueSpan(start: start, end: end, kind: spans[0].kind)
    }
}
