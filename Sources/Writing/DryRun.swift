import JSON
import JobFiles
public import Postgres
public import JobQueue
import Reading
public import Telemetry

/// What a dry run collects instead of writing it, to be tried in one transaction that is undone.
///
/// The statements are those of a real run, so that what they answer is what it would do.
public final class DryRun: Sink {
    /// Rows that one entity shows before and after.
    private static let changesMax = 3

    private let queue: Queue
    private let pagesMax: Int
    private var pages: [(page: PageWrite, statements: EntityStatements)] = []
    private var ends: [PageCommit] = []
    private var pagesOfPass: [String: Int] = [:]
    private var cleanups: [(table: String, delete: Statement)] = []
    private var unsent: [String] = []

    /// False: nothing of a dry run stays.
    public let mayHaveCommitted = false
    /// Why the database was in the way, if it was.
    public private(set) var databaseTrouble: String?
    /// True.
    public var isDryRun: Bool { true }

    /// Reads at most so many pages of each entity or chunk.
    public init(_ queue: Queue, pagesMax: Int) {
        self.queue = queue
        self.pagesMax = pagesMax
    }

    /// Remembers that the database was in the way.
    public func observe(_ error: DatabaseError) {
        if error.isServerTrouble { databaseTrouble = "\(error)" }
    }

    /// Each thing is told of once.
    public func withholds(_ what: @autoclosure () -> String) -> Bool {
        let what = what()
        if !unsent.contains(what) { unsent.append(what) }
        return true
    }

    /// Keeps the page; what the database would refuse is left out now, for nothing tries it again.
    public func write(
        _ page: PageWrite, _ statements: EntityStatements
    ) async throws -> WrittenPage {
        var page = page
        _ = try await page.leaveOutUnsuitable(queue, statements)
        pages.append((page, statements))
        pagesOfPass[page.commit.entity, default: 0] += 1
        var written = WrittenPage()
        written.isEnough =
            !page.commit.isEnd && pagesOfPass[page.commit.entity, default: 0] >= pagesMax
        return written
    }

    /// Nil when each page is kept and tried.
    public func olderRecords(
        ofUnchanged page: PageWrite, _ statements: EntityStatements
    ) async -> Int? { nil }

    /// False: nothing waits for a commit.
    public func writeLast(_ page: PageWrite, _ statements: EntityStatements) async -> Bool { false }

    /// Keeps the end of a pass whose last page was empty.
    public func finishPass(_ commit: PageCommit) { ends.append(commit) }

    /// Keeps the deletion, to be tried with the pages.
    public func delete(_ old: Statement, of table: String) async throws -> Int {
        cleanups.append((table, old))
        return 0
    }

    /// Nothing: there is no claim that such a transaction could prove.
    public func run(_ statements: [Statement], counts: Bool) async throws -> [Rows] { [] }

    /// Tries everything that was kept, in order, and undoes it.
    ///
    /// Throws `QueueError.superseded` when a run has moved the checkpoints meanwhile.
    public func dryRun(
        for claim: Claim, _ redactor: Redactor, deadline: ContinuousClock.Instant
    ) async throws -> DryRunReport {
        var statements: [Statement] = []
        var ranges: [Range<Int>] = []
        for (page, own) in pages {
            let look = own.rows(of: page.batch, for: claim)
            let first = statements.count
            statements += [look, own.upsert.statement(page, for: claim)]
            statements += own.following(page, for: claim) + [look]
            ranges.append(first..<statements.count)
        }
        let cleanupsFrom = statements.count
        statements += cleanups.map(\.delete) + [counters(for: claim)]
        let answers = try await queue.dryRun(statements, deadline: deadline)
        var report = DryRunReport()
        for ((page, writes), range) in zip(pages, ranges) {
            report.add(page.commit)
            let own = Array(answers[range])
            if page.sweep != nil, let sweep = own.dropLast().last?.first {
                report.recordSweep(isRefused: try sweep.optionalText("verdict") == "sweep_refused")
            }
            try report.addChanges(
                own, key: writes.keys, most: Self.changesMax, redactor)
        }
        for end in ends { report.add(end, isPage: false) }
        try report.addCounts(answers[answers.count - 1])
        report.cleanedUp = try zip(cleanups, answers[cleanupsFrom...]).map { cleanup, rows in
            (table: cleanup.table, rows: try rows.only().int("rows"))
        }
        report.unsent = unsent
        return report
    }

    /// What the pages' own statements have counted in the checkpoints by then.
    private func counters(for claim: Claim) -> Statement {
        Statement(
            """
            select k.entity, (k.counters).*
            from jobrunner.checkpoints as k
            where k.user_id = $1 and k.job_name = $2 and k.run_fence = $3
            """, .int8(claim.userID), .text(claim.name), .int8(claim.fence))
    }
}
