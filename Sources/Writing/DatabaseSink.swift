import Basics
public import Postgres
public import JobQueue
import Reading
public import Telemetry

/// Writes a run's pages: proves the fence, writes the records and moves the checkpoint in one
/// transaction, which is one network turn.
///
/// While the database is away, read-only or full it waits for it until the deadline; a page is never
/// fetched again for that.
public final class DatabaseSink: Sink {
    /// A transaction is tried again so often when the database, not the page, is in the way.
    private static let attemptsMax = 5
    /// Between tries while the database is away.
    private static let backoff = Backoff(first: .milliseconds(100), most: .seconds(2))

    private let queue: Queue
    private let claim: Claim
    private let deadline: ContinuousClock.Instant
    private let metrics: Metrics
    private let activity: RunActivity

    /// A transaction that counts in a checkpoint was tried.
    public private(set) var mayHaveCommitted = false
    /// Why the last transaction could not be written; nil when it was, or it was to blame.
    public private(set) var databaseTrouble: String?
    /// False.
    public var isDryRun: Bool { false }

    /// Writes under `claim` until `deadline`.
    public init(
        _ queue: Queue, for claim: Claim, deadline: ContinuousClock.Instant,
        _ metrics: Metrics = Metrics(), _ activity: RunActivity = RunActivity()
    ) {
        self.activity = activity
        self.metrics = metrics
        self.queue = queue
        self.claim = claim
        self.deadline = deadline
    }

    /// False: everything is sent.
    public func withholds(_ what: @autoclosure () -> String) -> Bool { false }

    /// Nothing: the end travels with the outcome.
    public func finishPass(_ commit: PageCommit) {}

    /// Remembers what a transaction met, if it would meet any other as well.
    public func observe(_ error: DatabaseError) {
        if error.isServerTrouble { databaseTrouble = "\(error)" }
    }

    /// Proves the claim, writes the page and moves its checkpoint, in one network turn.
    ///
    /// After a lost reply the checkpoint is asked before anything is repeated (invariant 13).
    public func write(
        _ page: PageWrite, _ statements: EntityStatements
    ) async throws -> WrittenPage {
        try await activity.during(.writing) { try await writeUntilCommitted(page, statements) }
    }

    private func writeUntilCommitted(
        _ page: PageWrite, _ statements: EntityStatements
    ) async throws -> WrittenPage {
        var page = page
        var attempt = 0
        var backoff = Self.backoff
        var isDoubtful = false
        while true {
            do {
                if isDoubtful, try await isCommitted(page) { return markCommitted(page) }
                return try written(try await transaction(page, statements), page)
            } catch QueueError.superseded where isDoubtful {
                // What stands in the way may be this very page, whose first copy was only late.
                guard try await isCommitted(page) else { throw QueueError.superseded }
                return markCommitted(page)
            } catch let error as DatabaseError {
                attempt += 1
                if error.isDataError, try await page.leaveOutUnsuitable(queue, statements) {
                    continue
                }
                guard error.isWorthRepeating,
                    attempt < Self.attemptsMax || error.isServerTrouble
                else { throw error }
                observe(error)
                isDoubtful = isDoubtful || error.leavesDoubt
                try await pause(for: backoff.next())
            }
        }
    }

    private func transaction(_ page: PageWrite, _ statements: EntityStatements) async throws
        -> [Rows]
    {
        mayHaveCommitted = true
        let begun = ContinuousClock.now
        defer { metrics.observe(.now - begun, in: .commitDuration) }
        let rows = try await queue.turn(
            page.opening + [claim.holdStatement, statements.upsert.statement(page, for: claim)]
                + statements.following(page, for: claim)
                + page.commit.followUpStatements(for: claim) + page.companions,
            deadline: deadline)
        return Array(rows.dropFirst(page.opening.count))
    }

    private func written(_ rows: [Rows], _ page: PageWrite) throws -> WrittenPage {
        var written = markCommitted(page)
        let counts = try rows[1].only()
        let inserted = try counts.int("inserted")
        written.deleted = try counts.int("deleted")
        if rows[1].columns.contains("lost") { written.editsLost = try counts.int("lost") }
        written.changed = try inserted + counts.int("updated") + written.deleted
        written.isAllNew = inserted == page.batch.writtenCount
        written.isStopRequested = try rows[0].only().bool(0)
        if page.sweep != nil, let answer = rows.last(where: { $0.columns.contains("verdict") }) {
            let sweep = try answer.only()
            written.swept = try sweep.int("swept")
            written.sweepVerdict = try sweep.optionalText("verdict")
        }
        return written
    }

    private func markCommitted(_ page: PageWrite) -> WrittenPage {
        databaseTrouble = nil
        var written = WrittenPage()
        written.hasWritten = page.batch.writtenCount > 0
        return written
    }

    /// After a lost reply: the checkpoint, read under the job's lock, says whether this very page of
    /// this run was committed (invariant 13).
    private func isCommitted(_ page: PageWrite) async throws -> Bool {
        let progress = try await queue.runProgress(of: page.commit.entity, for: claim)
        return progress.fence == claim.fence
            && progress.pages == page.committedPages + page.commit.pageCount
    }

    /// Asks whether the page changes anything, and writes nothing.
    public func olderRecords(
        ofUnchanged page: PageWrite, _ statements: EntityStatements
    ) async -> Int? {
        let look = statements.upsert.changesAnything(page.batch, for: claim)
        // Whatever is wrong with it, the page's own transaction finds out and knows what to do.
        guard
            let rows = try? await queue.database.run(deadline: deadline, { try $0.query(look) }),
            let row = try? rows.only(), (try? row.bool("changes")) == false
        else { return nil }
        return try? row.int("older")
    }

    /// A run that was cancelled at its deadline still has the claim, for as long as it is not finished;
    /// but the deadline is near or over, so that it gets little time.
    public func writeLast(_ page: PageWrite, _ statements: EntityStatements) async -> Bool {
        mayHaveCommitted = true
        let transaction = [
            claim.holdStatement, statements.upsert.statement(page, for: claim),
        ]
        let queue = queue
        let written = await Task {
            try await queue.turn(transaction, deadline: .now + .milliseconds(200))
        }.result
        guard case .success = written else { return false }
        databaseTrouble = nil
        return true
    }

    /// Deletes rows in a transaction of its own.
    public func delete(_ old: Statement, of table: String) async throws -> Int {
        mayHaveCommitted = true
        let rows = try await activity.during(.writing) {
            try await queue.turn([claim.holdStatement, old], deadline: deadline)
        }
        return try rows[1].only().int("rows")
    }

    /// After a lost reply it is not repeated: the next run finds the rows as they are, and what the
    /// source has taken already is a conflict that resolves to the same.
    public func run(_ statements: [Statement], counts: Bool) async throws -> [Rows] {
        try await activity.during(.writing) {
            try await runUntilAnswered(statements, counts: counts)
        }
    }

    private func runUntilAnswered(_ statements: [Statement], counts: Bool) async throws -> [Rows] {
        mayHaveCommitted = mayHaveCommitted || counts
        var attempt = 0
        var backoff = Self.backoff
        while true {
            do {
                let rows = try await queue.turn(
                    [claim.holdStatement] + statements, deadline: deadline)
                databaseTrouble = nil
                return Array(rows.dropFirst())
            } catch let error as DatabaseError {
                attempt += 1
                guard error.isTransient, attempt < Self.attemptsMax || error.isServerTrouble else {
                    throw error
                }
                observe(error)
                try await pause(for: backoff.next())
            }
        }
    }

    /// Sleeps for the wait, but never past the deadline.
    private func pause(for wait: Duration) async throws {
        let wake = ContinuousClock.now + wait
        guard wake < deadline else { throw RunEnd.interrupted(.deadline) }
        try await Task.sleep(until: wake, clock: .continuous)
    }
}

extension PageWrite {
    /// The database refused a value: leaves out the records that hold one, and counts them as
    /// incompatible, since one bad value must not hold up the page.
    ///
    /// False when no record is to blame.
    mutating func leaveOutUnsuitable(
        _ queue: Queue, _ statements: EntityStatements
    ) async throws -> Bool {
        var bad: Set<Int> = []
        for (column, kind) in statements.upsert.castColumns {
            let texts = batch.actions.indices.map { batch.columns[column].text(at: $0) }
            bad.formUnion(try await queue.unsuitable(texts, type: kind))
        }
        // What is only shown sends its key and is not cast.
        bad = bad.filter { batch.actions[$0] == .write }
        guard !bad.isEmpty else { return false }
        batch.remove(bad)
        batch.counts.skippedIncompatible += bad.count
        return true
    }
}

extension DatabaseError {
    /// The transaction failed for a reason that may pass, so it is tried again as it is.
    fileprivate var isWorthRepeating: Bool { isTransient || leavesDoubt }

    /// The server may have committed without being heard.
    fileprivate var leavesDoubt: Bool { code == .commitUnknown || code == .connectionLost }
}
