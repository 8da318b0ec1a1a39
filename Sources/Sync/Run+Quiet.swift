import JobFile
import Postgres
import Queue

// Pages that change nothing: looked at, and committed with a later one.
extension Run {
    /// Whether the page changes nothing, so that its checkpoint may wait for a later page's.
    ///
    /// Asked only where that is likely, since a page that does change something is then looked up
    /// twice: after a page that changed nothing, and at the start of a full pass that is not the first.
    func isQuiet(
        _ batch: RecordBatch, _ commit: PageCommit, _ pass: PassState, _ writes: PageWrites,
        of entity: Entity
    ) async throws -> Bool {
        guard mayBeQuiet(batch, commit, entity), !quiet.isDue,
            !quiet.isEmpty || changedLast.map({ $0 == 0 }) ?? isRepeated(pass, entity)
        else { return false }
        let look = writes.upsert.look(batch, for: inputs.job.claim)
        // Whatever is wrong with it, the page's own transaction finds out and knows what to do.
        guard
            let rows = try? await services.queue.database.run(
                deadline: deadline, { try $0.query(look) }),
            let row = try? rows.only(), try !row.bool("changes")
        else { return false }
        quiet.add(batch, older: try row.int("older"), commit)
        return true
    }

    private func mayBeQuiet(_ batch: RecordBatch, _ commit: PageCommit, _ entity: Entity) -> Bool {
        !commit.isEnd && commit.note == nil && entity.write.unique == nil && batch.failures.isEmpty
            && pendingCalls.isEmpty && rotation == nil && !batch.fates.contains(.tombstone)
            && !(entity.sweeps && commit.passKind == .full)
    }

    private func isRepeated(_ pass: PassState, _ entity: Entity) -> Bool {
        pass.kind == .full && pass.isAtStart && checkpoint(of: entity).syncedAge != nil
    }

    /// Commits the pages that wait, when the run yields before another page does.
    ///
    /// A run that was cancelled at its deadline still has the claim, for as long as it is not finished;
    /// but the deadline is near or over, so that it gets little time. Without it the pages are read
    /// again.
    func commitQuietPages(_ writes: PageWrites, of entity: Entity) async {
        guard var commit = quiet.commit else { return }
        var batch = RecordBatch(entity)
        batch.cover(quiet, &commit)
        let claim = inputs.job.claim
        let statements = [
            claim.holdStatement, writes.upsert.statement(batch, commit, for: claim),
        ]
        let queue = services.queue
        let written = await Task {
            try await queue.turn(statements, deadline: .now + .milliseconds(200))
        }.result
        guard case .success = written else { return quiet = QuietPages() }
        settle(batch, commit)
    }
}

extension RecordBatch {
    /// Takes in pages that were read before, so that one commit covers them all.
    mutating func cover(_ quiet: QuietPages, _ commit: inout PageCommit) {
        counts += quiet.counts
        sentBefore = quiet.sent
        olderBefore = quiet.older
        commit.pageCount =
            commit.pageNumber == quiet.commit?.pageNumber ? quiet.pages : quiet.pages + 1
    }
}
