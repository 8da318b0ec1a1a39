/// Which rows of a batch go in one request, and what a request that is refused as a whole tells of them.
///
/// A refused part is halved until a row is alone, which then is at fault. Where both halves of a refused
/// part go through, no row was: it was too large, and no part is larger than the halves from then on.
struct Halving<Row> {
    /// No part has more rows.
    private(set) var sizeMax: Int
    private var waiting: [Part]
    private var current = Part(rows: [])
    /// The next part is the last that waits: a half of what was just refused, or its other half.
    private var staysNear = false
    private var passedHalves: [Int: Int] = [:]
    private var lastSplit = 0
    private var culprits = 0
    private var hasPassed = false

    /// So many rows were refused alone, and no part went through: then rather the request is at fault than
    /// each of its rows.
    private static var culpritsMax: Int { 8 }

    private struct Part {
        var rows: ArraySlice<Row>
        /// The refused part that it is a half of; nil means of none.
        var split: Int?
    }

    init(_ rows: [Row], sizeMax: Int) {
        self.sizeMax = max(1, sizeMax)
        waiting = rows.isEmpty ? [] : [Part(rows: rows[...])]
    }

    /// All that was refused so far speaks against the request itself, and other rows wait.
    var isHopeless: Bool { !hasPassed && culprits >= Self.culpritsMax && !waiting.isEmpty }

    /// The rows of the next request; nil when all have been sent.
    ///
    /// After a culprit the largest part is next, so that the first culprits come from all over the batch.
    mutating func next() -> [Row]? {
        guard !waiting.isEmpty else { return nil }
        current = staysNear ? waiting.removeLast() : waiting.remove(at: largest)
        if current.rows.count > sizeMax { cut() }
        return Array(current.rows)
    }

    private var largest: Int {
        waiting.indices.reduce(0) { best, index in
            waiting[index].rows.count > waiting[best].rows.count ? index : best
        }
    }

    /// Leaves as many rows as a request may have; the others wait.
    private mutating func cut() {
        let rows = current.rows
        let count = (rows.count + sizeMax - 1) / sizeMax
        let size = (rows.count + count - 1) / count
        let pieces = stride(from: rows.startIndex, to: rows.endIndex, by: size).map { start in
            Part(rows: rows[start..<min(start + size, rows.endIndex)])
        }
        waiting += pieces.dropFirst().reversed()
        current = pieces[0]
    }

    /// The source took the request, whatever became of its single rows.
    mutating func applyAccepted() {
        hasPassed = true
        staysNear = waiting.last.map { $0.split != nil && $0.split == current.split } ?? false
        guard let split = current.split else { return }
        passedHalves[split, default: 0] += 1
        // The second half, which is this one, is the larger by a row at most.
        if passedHalves[split] == 2 { sizeMax = min(sizeMax, current.rows.count) }
    }

    /// The source refused the request as a whole; returns the row that is at fault, once one is alone.
    mutating func applyRefused() -> Row? {
        let rows = current.rows
        guard rows.count > 1 else {
            culprits += 1
            staysNear = false
            return rows.first
        }
        lastSplit += 1
        let middle = rows.startIndex + rows.count / 2
        waiting.append(Part(rows: rows[middle...], split: lastSplit))
        waiting.append(Part(rows: rows[..<middle], split: lastSplit))
        staysNear = true
        return nil
    }
}
