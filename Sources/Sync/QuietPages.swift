import Queue

/// Pages of a pass that changed nothing, read and not yet committed.
///
/// They cost a look and no row, no lock and no WAL; the next commit covers them. A worker that dies
/// meanwhile reads them again, which changes nothing either.
struct QuietPages {
    /// What a worker that dies may have to read again at most.
    static let span = Duration.seconds(1)

    private(set) var pages = 0
    private(set) var counts = PageCounts()
    /// Records that were compared, and of them those that were older than their rows.
    private(set) var sent = 0
    private(set) var older = 0
    /// Where the last of them leaves its entity; nil: there are none.
    private(set) var commit: PageCommit?
    private var since: ContinuousClock.Instant?

    var isEmpty: Bool { pages == 0 }

    /// The oldest of them has waited long enough.
    var isDue: Bool { since.map { ContinuousClock.now - $0 >= Self.span } ?? false }

    mutating func add(_ batch: RecordBatch, older olderCount: Int, _ page: PageCommit) {
        pages += 1
        counts += batch.counts
        sent += batch.sentCount
        older += olderCount
        commit = page
        since = since ?? .now
    }
}

extension PageCounts {
    static func += (left: inout PageCounts, right: PageCounts) {
        left.fetched += right.fetched
        left.skippedIncompatible += right.skippedIncompatible
        left.filtered += right.filtered
        left.duplicate += right.duplicate
    }
}
