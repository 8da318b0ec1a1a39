public import JobQueue
import Reading

/// Pages of a pass that changed nothing, read and not yet committed.
///
/// They cost a look and no row, no lock and no WAL; the next commit covers them. A worker that dies
/// meanwhile reads them again, which changes nothing either.
public struct UnchangedPages {
    /// What a worker that dies may have to read again at most.
    private static let span = Duration.seconds(1)

    private var pages = 0
    private var counts = PageCounts()
    /// Records that were compared, and of them those that were older than their rows.
    private var sent = 0
    private var older = 0
    /// Where the last of them leaves its entity; nil when there are none.
    public private(set) var commit: PageCommit?
    private var since: ContinuousClock.Instant?

    /// No page waits.
    public var isEmpty: Bool { pages == 0 }

    /// The oldest of them has waited long enough.
    public var isDue: Bool { since.map { ContinuousClock.now - $0 >= Self.span } ?? false }

    /// There are none yet.
    public init() {}

    /// Has a later page's commit cover them too.
    public func join(_ page: inout PageWrite) {
        guard !isEmpty else { return }
        page.batch.counts += counts
        page.sentBefore = sent
        page.olderBefore = older
        page.commit.pageCount = page.commit.pageNumber == commit?.pageNumber ? pages : pages + 1
    }

    /// Takes in a page; `olderCount` of its records are older than their rows.
    public mutating func add(_ page: PageWrite, older olderCount: Int) {
        pages += 1
        counts += page.batch.counts
        sent += page.batch.sentCount
        older += olderCount
        commit = page.commit
        since = since ?? .now
    }
}
