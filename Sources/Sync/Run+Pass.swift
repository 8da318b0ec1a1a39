import HTTP
import JSON
import JobFile
import Queue
import Telemetry

// The page loop: fetch with no transaction open, commit in one, until the protocol's own end.
extension Run {
    /// Pages of one entity in one run, where the file names no other number.
    private static let pagesMax = 10_000
    private static let freePages = 100

    /// Syncs one entity: pulls a pass to its end, then pushes what is edited here (MS4).
    ///
    /// Throws `RunEnd` when the run must yield before.
    func sync(_ entity: Entity) async throws {
        guard entity.isEnabled else { return }
        self.entity = entity.name
        for part in try await parts(of: entity) {
            do { try await pull(part) } catch is PagesEnough { continue }
        }
        let isRepair = inputs.job.checkpoint(of: entity.name).isRepairRequested
        if try await push(entity, isRepair: isRepair), isRepair {
            // A repair ends with what the source made of the rows that were sent anew (LU21).
            try await pull(entity)
        }
        self.entity = nil
    }

    /// Reads one pass to its end, or goes on with the one in progress.
    private func pull(_ entity: Entity) async throws {
        self.entity = entity.name
        entityPages = 0
        changedLast = nil
        quiet = QuietPages()
        let writes = services.writes.writes(of: entity, in: inputs.job.claim.name)
        do {
            try await readPages(of: entity, writes)
        } catch {
            await commitQuietPages(writes, of: entity)
            throw error
        }
    }

    private func readPages(of entity: Entity, _ writes: PageWrites) async throws {
        let reader = RecordReader(entity, dialect: dialect, isTooOld: ageTests(of: entity))
        var recovery = RecoveryCounts()
        var seen: Set<String> = []
        var shown: Int?
        var pages = 0
        var isAnew = false
        guard var pass = try await begin(entity) else { return }
        isAllNew = isFirst(pass, entity)
        while true {
            try checkMayBegin(page: pages, of: entity)
            try await keepPace(page: pages)
            let begun = ContinuousClock.now
            let page: FetchedPage
            do {
                page = try await fetch(entity, &pass, reader, &recovery)
            } catch is FullPassNeeded {
                await commitQuietPages(writes, of: entity)
                pass = restart(entity, after: pass, isFull: true)
                (seen, shown) = ([], nil)
                continue
            } catch let lost as PositionLost {
                pass = try beginAnew(entity, after: pass, lost, &isAnew)
                (seen, shown) = ([], nil)
                continue
            }
            // What is made of the page is as large as the page, until it is written.
            let hold = page.hold
            defer { withExtendedLifetime(hold) {} }
            try checkProgress(page.next.next, &seen, at: pass.position)
            try checkShowsOthers(page, &shown)
            pass.note(page.batch)
            if page.next.next == nil, pass.isWorthless {
                try await abandon(pass, page, writes, of: entity)
            }
            if !page.batch.failures.isEmpty { pass.forgetAnswers() }
            let commit = pass.commit(
                entity, next: page.next, maxSeen: page.batch.maxSeen?.watermarkText)
            try commit.checkLengths()
            if quiet.isEmpty, canEndWithoutPage(page, pass, commit, entity) {
                end(pass, commit, of: entity)
                return
            }
            let sweep = sweep(pass, commit, entity)
            if let rehearsal {
                try await keep(page.batch, commit, writes, sweep, of: entity, in: rehearsal)
            } else if try await !isQuiet(page.batch, commit, pass, writes, of: entity) {
                try await self.commit(page.batch, commit, writes, sweeps: sweep)
            }
            pages += 1
            pace.note(ContinuousClock.now - begun)
            if commit.isEnd { return noteEnd(of: pass, commit) }
            pass.advance(over: commit)
        }
    }

    /// Goes on where a pass was interrupted, or begins one (MH17, MH27).
    ///
    /// Nil: the probe says that nothing changed, and the pass has ended (SC19).
    private func begin(_ entity: Entity) async throws -> PassState? {
        let checkpoint = checkpoint(of: entity)
        if let resumed = PassState(resuming: checkpoint) { return resumed }
        let conditions = entity.incremental?.fullIf ?? []
        let isAsked = try !conditions.isEmpty && holds(conditions, for: entity.name)
        // After a reset the next pass is full, whatever else its job has done.
        let fallback =
            entity.incremental?.fallsBackToJob == true && checkpoint.generation == 0
            ? inputs.job.lastSuccessAt.map(Timestamp.iso8601) : nil
        let isFull = isAsked || isFullDue(entity, checkpoint, hasFallback: fallback != nil)
        var pass = PassState(
            beginning: entity, from: checkpoint, isFull: isFull, startedAt: now(),
            fallback: fallback)
        guard let probe = entity.probe else { return pass }
        pass.probe = try await ask(probe, of: entity)
        guard mayTrust(probe, entity, checkpoint), pass.probe == checkpoint.probe else {
            return pass
        }
        note(
            EndedPass(
                entity: entity.name, generation: pass.generation, passNumber: pass.number,
                watermark: nil, syncToken: checkpoint.syncToken, validator: checkpoint.validator,
                probe: checkpoint.probe), of: entity)
        return nil
    }

    /// `full_every` (ST31).
    ///
    /// An entity that was never read in full begins so, unless it may begin at its job's last
    /// success (ST5).
    private func isFullDue(
        _ entity: Entity, _ checkpoint: Checkpoint, hasFallback: Bool
    ) -> Bool {
        if entity.write.mode == .replaceAll { return true }
        guard let span = entity.incremental?.fullEvery else { return false }
        guard let age = checkpoint.lastFullAge else {
            return checkpoint.watermark != nil || !hasFallback
        }
        return age + (ContinuousClock.now - inputs.claimedAt) >= span
    }

    /// A probe can't see deletions, and nothing about an empty table (SC7, SC20).
    private func mayTrust(_ probe: Probe, _ entity: Entity, _ checkpoint: Checkpoint) -> Bool {
        guard !inputs.job.isForced, !checkpoint.isFullRequested,
            !inputs.emptyTables.contains(entity.write.table), let age = checkpoint.lastFullAge
        else { return false }
        return age < probe.fullEvery
    }

    /// No pass of the entity was ever completed, so that its table holds none of the user's rows.
    private func isFirst(_ pass: PassState, _ entity: Entity) -> Bool {
        pass.kind == .full && pass.generation == 0 && checkpoint(of: entity).syncedAge == nil
    }

    /// The pass once more from its beginning, after its position was lost.
    private func restart(_ entity: Entity, after pass: PassState, isFull: Bool) -> PassState {
        var checkpoint = checkpoint(of: entity)
        checkpoint.passNumber = pass.committedNumber
        return PassState(
            beginning: entity, from: checkpoint, isFull: isFull, startedAt: now())
    }

    /// The pass once more, after the source has refused its stored position for good; once a run.
    ///
    /// A position that outlives passes may be the one that is refused, so that its entity is read in full.
    private func beginAnew(
        _ entity: Entity, after pass: PassState, _ lost: PositionLost, _ isAnew: inout Bool
    ) throws -> PassState {
        guard !isAnew else { throw lost.end }
        isAnew = true
        services.log.emit(.passBegunAnew(subject, entity: entity.name))
        return restart(entity, after: pass, isFull: pass.kind == .full || entity.page.outlives)
    }

    /// The source's clock at the run's first answer, else the database's now (ours, MH18).
    private func now() -> Int64 {
        sourceTime ?? inputs.claimedAtMicroseconds
    }

    /// Before every page: the deadline, the pace, the page cap (MH11), and whether others starve (fault H5).
    ///
    /// A stop cancels the run's task, which ends its requests and waits (ST3). A run that yields has come
    /// further than where it began, or it would yield for ever.
    func checkMayBegin(page: Int, of entity: Entity) throws {
        let left = deadline - ContinuousClock.now
        guard left > .zero, pace.allowsPage(within: left) else {
            throw RunEnd.interrupted(.deadline)
        }
        if page >= entity.page.maxPages ?? Self.pagesMax { throw RunEnd.interrupted(.pageCap) }
        if control.isToYield, page + counts.pages > 0 { throw RunEnd.interrupted(.yielded) }
    }

    /// Where the file names no rate, a run asks for its first hundred pages as fast as they come and
    /// then for fifty a second.
    private func keepPace(page: Int) async throws {
        guard inputs.file.source.rate?.perSecond == nil, page >= Self.freePages else { return }
        guard let wait = pace.rest(.milliseconds(20)) else { return }
        try await Task.sleep(until: min(wait, deadline), clock: .continuous)
        guard wait < deadline else { throw RunEnd.interrupted(.deadline) }
    }

    /// A source that ignores where a page is to begin shows the same records for ever.
    private func checkShowsOthers(_ page: FetchedPage, _ shown: inout Int?) throws {
        guard let keys = page.keys else { return }
        guard keys != shown else {
            throw RunEnd.failed(
                .cursorLoop,
                "the page shows the records of the one before: does the source know the parameter?")
        }
        shown = keys
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
}

// How a pass ends.
extension Run {
    /// A last page without records writes nothing of its own: its end travels with the outcome.
    private func canEndWithoutPage(
        _ page: FetchedPage, _ pass: PassState, _ commit: PageCommit, _ entity: Entity
    ) -> Bool {
        commit.isEnd && page.batch.counts.fetched == 0 && !pass.isFullRequested
            && !pass.isRepair && (!pass.mayEndInSweep(entity) || page.isUnmodified)
    }

    /// Notes the end of a pass whose last page was empty.
    private func end(_ pass: PassState, _ commit: PageCommit, of entity: Entity) {
        rehearsal?.keep(end: commit)
        note(
            EndedPass(
                entity: commit.entity, generation: pass.generation, passNumber: pass.number,
                pageNumber: pass.pageNumber, watermark: commit.watermark,
                syncToken: commit.syncToken, validator: commit.validator, probe: commit.probe,
                fullAt: pass.kind == .full ? pass.startedAt : nil), of: entity)
    }

    /// The end of a pass that wrote nothing, which most often leaves the checkpoint as it was.
    private func note(_ ended: EndedPass, of entity: Entity) {
        if ended.isNotable(after: inputs.job.checkpoint(of: ended.entity), of: entity) {
            endedPasses.append(ended)
        } else {
            unchangedPasses.append(ended)
        }
    }

    private func sweep(_ pass: PassState, _ commit: PageCommit, _ entity: Entity) -> Sweep? {
        guard commit.isEnd, pass.mayEndInSweep(entity) else { return nil }
        return Sweep(entity, isRepair: pass.isRepair)
    }

    /// What a second pass of this run begins from.
    private func noteEnd(of pass: PassState, _ commit: PageCommit) {
        guard pass.isRepair else { return }
        var checkpoint = Checkpoint(entity: commit.entity)
        checkpoint.generation = pass.generation
        checkpoint.passNumber = pass.number
        checkpoint.wish = pass.wish
        checkpoint.syncToken = commit.syncToken
        checkpoint.watermark = commit.watermark
        checkpoint.lastFullAge = .zero
        checkpoints[commit.entity] = checkpoint
    }

    func checkpoint(of entity: Entity) -> Checkpoint {
        checkpoints[entity.name] ?? inputs.job.checkpoint(of: entity.name)
    }

    private func ageTests(of entity: Entity) -> [AgeTest] {
        inputs.file.after.compactMap { step in
            guard case .cleanup(let table, let by, let span) = step.action,
                table == entity.write.table,
                let field = entity.records.fields.firstIndex(where: { $0.name == by })
            else { return nil }
            return AgeTest(
                field: field, before: inputs.claimedAtMicroseconds - span.microseconds)
        }
    }
}
