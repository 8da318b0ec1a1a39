import JSON
import JobFile
import Postgres
import Queue
import Telemetry

// The page transaction: prove the fence, write the records, move the checkpoint, in one network turn.
extension Run {
    /// The transaction is tried again so often when the database, not the page, is in the way (D8).
    private static let attemptsMax = 5

    /// Commits a page.
    ///
    /// Throws `RunEnd` when the run is lost, was reset, or the deadline comes first.
    ///
    /// While the database is away, read-only or full it waits for it until the deadline; it never
    /// fetches the page again.
    func commit(
        _ batch: RecordBatch, _ commit: PageCommit, _ writes: PageWrites, sweeps sweep: Sweep?
    ) async throws {
        var batch = batch
        var commit = commit
        if !quiet.isEmpty { batch.cover(quiet, &commit) }
        batch.isProbablyNew = isAllNew
        var attempt = 0
        var isDoubtful = false
        while true {
            do {
                if isDoubtful, try await isCommitted(commit) {
                    return settle(batch, commit)
                }
                let rows = try await turn(batch, commit, writes, sweep)
                if sweep != nil { try tellRefusedSweep(rows, commit) }
                try note(rows, batch, commit)
                return
            } catch QueueError.superseded where isDoubtful {
                // What stands in the way may be this very page, whose first copy was only late.
                guard try await isCommitted(commit) else { throw QueueError.superseded }
                return settle(batch, commit)
            } catch let error as DatabaseError {
                attempt += 1
                if error.isDataError, try await leaveOutUnsuitable(&batch, writes.upsert) {
                    continue
                }
                guard error.isWorthRepeating,
                    attempt < Self.attemptsMax || error.isServerTrouble
                else { throw error }
                note(error)
                isDoubtful = isDoubtful || error.leavesDoubt
                try await pause(afterAttempt: attempt)
            }
        }
    }

    private func turn(
        _ batch: RecordBatch, _ commit: PageCommit, _ writes: PageWrites, _ sweep: Sweep?
    ) async throws -> [Rows] {
        mayHaveCommitted = true
        let claim = inputs.job.claim
        let page = writes.upsert.statement(batch, commit, for: claim)
        return try await services.queue.turn(
            [claim.holdStatement, page] + writes.following(batch, sweep, for: claim)
                + (commit.noteStatement(for: claim).map { [$0] } ?? [])
                + pendingCalls.map { $0.statement(for: claim) } + rotationStatements,
            deadline: deadline)
    }

    /// A sweep that deleted nothing because it would have deleted too much needs a person (E7); told
    /// when it begins, not at each full pass that finds it so.
    private func tellRefusedSweep(_ rows: [Rows], _ commit: PageCommit) throws {
        for answer in rows.dropFirst(2) where answer.columns.contains("refused") {
            guard try answer.only().bool("refused"),
                !inputs.job.checkpoint(of: commit.entity).hasFailures
            else { continue }
            services.log.emit(
                .sweepRefused(
                    subject, entity: commit.entity,
                    reason:
                        "the full pass lacked more rows than max_fraction allows; none was deleted")
            )
        }
    }

    /// A dry run's page: what the database would refuse is left out now, for nothing tries it again.
    func keep(
        _ batch: RecordBatch, _ commit: PageCommit, _ writes: PageWrites, _ sweep: Sweep?,
        of entity: Entity, in rehearsal: Rehearsal
    ) async throws {
        var batch = batch
        _ = try await leaveOutUnsuitable(&batch, writes.upsert)
        counts.pages += 1
        entityPages += 1
        try rehearsal.keep(batch, commit, writes, sweep, of: entity)
    }

    private func note(_ rows: [Rows], _ batch: RecordBatch, _ commit: PageCommit) throws {
        settle(batch, commit)
        let written = try rows[1].only()
        let changed = try written.int("inserted") + written.int("updated") + written.int("deleted")
        counts.changed += changed
        changedLast = changed
        isAllNew = try isAllNew && written.int("inserted") == batch.writtenCount
        services.log.emit(
            .pageCommitted(
                subject, entity: commit.entity, page: commit.pageNumber,
                fetched: batch.counts.fetched, changed: changed))
        if try rows[0].only().bool(0) { throw RunEnd.interrupted(.cancelled) }
    }

    /// After a lost reply: the checkpoint, read under the job's lock, says whether this very page of
    /// this run was committed (invariant 13).
    private func isCommitted(_ commit: PageCommit) async throws -> Bool {
        let claim = inputs.job.claim
        let progress = try await services.queue.runProgress(of: commit.entity, for: claim)
        return progress.fence == claim.fence && progress.pages == entityPages + commit.pageCount
    }

    func settle(_ batch: RecordBatch, _ commit: PageCommit) {
        databaseTrouble = nil
        quiet = QuietPages()
        pendingCalls = []
        rotation = nil
        // Whether a merge has left something to push is asked of the table itself.
        hasMerged = hasMerged || batch.writtenCount > 0
        counts.pages += commit.pageCount
        entityPages += commit.pageCount
        counts.fetched += batch.counts.fetched
    }

    /// The database refused a value: leaves out the records that hold one, counted incompatible
    /// (D15).
    ///
    /// False when no record is to blame.
    private func leaveOutUnsuitable(
        _ batch: inout RecordBatch, _ upsert: UpsertStatement
    ) async throws -> Bool {
        var bad: Set<Int> = []
        for (column, kind) in upsert.castColumns {
            let texts = batch.fates.indices.map { batch.columns[column].text(at: $0) }
            bad.formUnion(try await services.queue.unsuitable(texts, type: kind))
        }
        // What is only shown sends its key and is not cast.
        bad = bad.filter { batch.fates[$0] == .write }
        guard !bad.isEmpty else { return false }
        batch.remove(bad)
        batch.counts.skippedIncompatible += bad.count
        return true
    }

    /// Remembers what a transaction met, if it would meet any other as well.
    func note(_ error: DatabaseError) {
        if error.isServerTrouble { databaseTrouble = "\(error)" }
    }

    /// Full jitter under 50 ms × 2^n, at most 2 s, and never past the deadline.
    func pause(afterAttempt attempt: Int) async throws {
        let ceiling = min(2000, 50 << min(attempt, 6))
        let wake = ContinuousClock.now + .milliseconds(Int.random(in: 1...ceiling))
        guard wake < deadline else { throw RunEnd.interrupted(.deadline) }
        try await Task.sleep(until: wake, clock: .continuous)
    }
}

extension DatabaseError {
    /// The transaction failed for a reason that may pass, so it is tried again as it is.
    fileprivate var isWorthRepeating: Bool { isTransient || leavesDoubt }

    /// The server may have committed without being heard.
    fileprivate var leavesDoubt: Bool { code == .commitUnknown || code == .connectionLost }
}
