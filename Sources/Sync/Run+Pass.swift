import HTTP
import JSON
import JobFile
import Queue
import Telemetry

/// One page as it came: records to write, and where the pass goes on.
struct FetchedPage {
    var batch: RecordBatch
    var next: NextPosition
}

// The page loop: fetch with no transaction open, commit in one, until the protocol's own end.
extension Run {
    /// Syncs one entity to the end of its pass.
    ///
    /// Throws `RunEnd` when the run must yield before.
    func sync(_ entity: Entity) async throws {
        self.entity = entity.name
        entityPages = 0
        let reader = RecordReader(entity)
        let upsert = UpsertStatement(entity)
        var seen: Set<String> = []
        var recovery = RecoveryCounts()
        var pass = try begin(entity)
        var pages = 0
        while true {
            try checkMayBegin(page: pages, of: entity)
            let begun = ContinuousClock.now
            let page: FetchedPage
            do {
                page = try await fetch(entity, &pass, reader, &recovery)
            } catch is FullPassNeeded {
                pass = restart(entity)
                seen = []
                continue
            }
            try checkProgress(page.next.next, &seen, at: pass.position)
            let commit = pass.commit(
                entity, next: page.next, maxSeen: page.batch.maxSeen?.watermarkText)
            if canEndWithoutPage(page, pass, commit) {
                endedPasses.append(
                    EndedPass(
                        entity: entity.name, generation: pass.generation,
                        watermark: commit.watermark, syncToken: commit.syncToken))
                break
            }
            try await self.commit(page.batch, commit, upsert)
            pages += 1
            pace.note(ContinuousClock.now - begun)
            if commit.isEnd { break }
            pass.advance(over: commit)
        }
        self.entity = nil
    }

    /// Goes on where a pass was interrupted, or begins one (MH17, MH27).
    private func begin(_ entity: Entity) throws -> PassState {
        let checkpoint = inputs.job.checkpoint(of: entity.name)
        if let resumed = PassState(resuming: checkpoint) { return resumed }
        let conditions = entity.incremental?.fullIf ?? []
        let isFull = try !conditions.isEmpty && holds(conditions, for: entity.name)
        return PassState(
            beginning: entity, from: checkpoint, isFull: isFull, startedAt: now())
    }

    /// The pass once more from its beginning, full, after its position was lost.
    private func restart(_ entity: Entity) -> PassState {
        PassState(
            beginning: entity, from: inputs.job.checkpoint(of: entity.name), isFull: true,
            startedAt: now())
    }

    /// The source's clock at the run's first answer, else the database's now (ours, MH18).
    private func now() -> Int64 {
        sourceTime ?? inputs.claimedAtMicroseconds
    }

    /// Before every page: stops, the deadline, the pace and the page cap (ST3, MH11).
    private func checkMayBegin(page: Int, of entity: Entity) throws {
        if let reason = control.stopReason { throw RunEnd.interrupted(reason) }
        let left = deadline - ContinuousClock.now
        guard left > .zero, pace.allowsPage(within: left) else {
            throw RunEnd.interrupted(.deadline)
        }
        if let cap = entity.page.maxPages, page >= cap { throw RunEnd.interrupted(.pageCap) }
    }

    /// A position that comes again would go round for ever (U7); what is committed stands.
    private func checkProgress(
        _ next: String?, _ seen: inout Set<String>, at position: String?
    ) throws {
        if let position { seen.insert(position) }
        guard let next else { return }
        guard seen.insert(next).inserted else {
            throw RunEnd.failed(.cursorLoop, "the source gave a position again that it gave before")
        }
    }

    /// A last page without records writes nothing of its own: its end travels with the outcome.
    private func canEndWithoutPage(
        _ page: FetchedPage, _ pass: PassState, _ commit: PageCommit
    ) -> Bool {
        commit.isEnd && page.batch.counts.fetched == 0 && !pass.isFullRequested
    }

    /// Asks for the page after the checkpoint and reads it whole.
    private func fetch(
        _ entity: Entity, _ pass: inout PassState, _ reader: RecordReader,
        _ recovery: inout RecoveryCounts
    ) async throws -> FetchedPage {
        recovery.beginPage()
        while true {
            let answer = try await ask(entity, pass)
            guard (200..<300).contains(answer.response.status) else {
                try await recover(entity, from: answer, &recovery)
                continue
            }
            return try read(answer, entity, pass, reader)
        }
    }

    private func ask(_ entity: Entity, _ pass: PassState) async throws -> Answer {
        values.since = pass.since.map(plainValue)
        values.pageSize = entity.page.size
        values.pageToken = nil
        if entity.page.continuesByAddress, let url = pass.position {
            return try await exchange(entity.request, retries: true, to: try sameOrigin(url))
        }
        values.pageToken = pass.tokenValue
        return try await exchange(entity.request, retries: true)
    }

    /// A stored address must still lead to the source: its base may have been changed since.
    private func sameOrigin(_ url: String) throws -> String {
        let base = inputs.base ?? inputs.file.source.base
        guard Origin(url: url) == Origin(url: base) else {
            throw RunEnd.failed(
                .rejected, "the stored next page is on another origin than the source")
        }
        return url
    }

    private func read(
        _ answer: Answer, _ entity: Entity, _ pass: PassState, _ reader: RecordReader
    ) throws -> FetchedPage {
        let document: JSONDocument
        do {
            document = try JSONDocument(parsing: answer.response.body)
        } catch {
            throw RunEnd.failed(.malformed, "the page is not JSON: \(error)")
        }
        let batch = try reader.read(document.root)
        let facts = PageFacts(
            root: document.root, response: answer.response, url: answer.url,
            position: pass.position, recordCount: batch.counts.fetched,
            greatest: entity.page.keysetField.flatMap { batch.greatest(of: $0, in: entity) })
        let next = try entity.page.position(
            after: facts, signInName: inputs.file.source.auth.queryName)
        return FetchedPage(batch: batch, next: next)
    }
}

extension Page {
    /// The next position is a whole address.
    var continuesByAddress: Bool {
        switch style {
        case .nextURL, .linkHeader: true
        default: false
        }
    }

    /// The field whose greatest value is the next position.
    var keysetField: String? {
        if case .keyset(.field(let name), _) = style { name } else { nil }
    }
}

extension Authentication {
    /// The query parameter that signs in, when one does.
    var queryName: String? {
        if case .query(let name, _) = self { name } else { nil }
    }
}

extension RecordBatch {
    /// Greatest value of a field among the records to write.
    func greatest(of field: String, in entity: Entity) -> String? {
        guard let index = entity.records.fields.firstIndex(where: { $0.name == field }) else {
            return nil
        }
        let values = rows.compactMap { $0[index] }
        return values.max { $0.isLess(than: $1) ?? false }?.watermarkText
    }
}
