import JobFile
import Queue
import Telemetry

// Records that can't be read: told once, and never taken for a complete pass.
extension Run {
    /// Warns of the first incompatible records of an entity, once a run, and not again while its runs
    /// find them.
    func tellIncompatible(_ batch: RecordBatch, of entity: Entity) {
        let misfits = batch.counts.skippedIncompatible - batch.failures.count
        guard misfits > 0, toldIncompatible.insert(entity.name).inserted,
            !inputs.job.checkpoint(of: entity.name).hadIncompatible
        else { return }
        services.log.emit(
            .recordsIncompatible(
                subject, entity: entity.name, incompatible: misfits, fetched: batch.counts.fetched,
                field: batch.misfit ?? ""))
    }

    /// Counts the page that the worthless pass ends with, and gives the pass up.
    func abandon(
        _ pass: PassState, _ page: FetchedPage, _ writes: PageWrites, of entity: Entity
    ) async throws -> Never {
        var commit = pass.commit(entity, next: page.next, maxSeen: nil)
        commit.isEnd = false
        commit.watermark = nil
        commit.cursor = pass.position
        commit.syncToken = pass.syncToken
        commit.note = .abandoned(syncToken: pass.tokenAtStart(entity))
        if let rehearsal {
            try await keep(page.batch, commit, writes, nil, of: entity, in: rehearsal)
        } else {
            try await self.commit(page.batch, commit, writes, sweeps: nil)
        }
        let field =
            misfits[entity.name].map { "; the first one that does not fit is \"\($0)\"" } ?? ""
        throw RunEnd.failed(
            .incompatible,
            "not one record that the source gave has the fields and types of the job file\(field)")
    }
}
