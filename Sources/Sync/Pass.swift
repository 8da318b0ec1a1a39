import Asking
import HTTP
import JobFiles
import JobQueue
import Postgres
import Reading
import Telemetry
import Writing

/// One pass of an entity: page after page is fetched with no transaction open and committed in one,
/// until the protocol's own end.
final class Pass {
    /// Pages that a run asks for without a pace, where the file names no rate.
    private static let freePages = 100

    private let context: RunContext
    private let entity: Entity
    private let start: PassStart
    private let part: EntityPart
    private let writes: EntityStatements
    private let troubles: StandingTroubles
    private let telling: TroubleTelling
    private let source: PageSource
    private var wasBegunAnew = false
    /// Pages of the pass in this run, and of them those that are committed.
    private var pages = 0
    private var committedPages = 0
    /// What the last committed page changed; nil when this run has committed none.
    private var changedLast: Int?
    /// The entity's first pass, of which every record so far was new.
    private var isAllNew = false
    /// Pages that changed nothing and wait for a commit.
    private var unchanged = UnchangedPages()

    init(of part: EntityPart, _ context: RunContext, _ calls: Calls) {
        self.context = context
        entity = part.entity
        start = PassStart(of: part, context, calls)
        self.part = part
        source = PageSource(of: part, context, calls)
        troubles = StandingTroubles(of: part.entity, context.checkpoints.given(part.entity.name))
        telling = TroubleTelling(context: context, entity: part.entity, troubles: troubles)
        writes = context.services.writes.writes(of: part.declared, in: context.inputs.file)
    }

    /// Reads the pass to its end, or goes on with the one in progress.
    ///
    /// Returns why the run ends with a page of it that was committed; nil when the pass came to its end.
    func perform() async throws -> RunEnd? {
        do {
            guard let state = try await start.begin(source) else { return nil }
            return try await readPages(from: state)
        } catch {
            await commitUnchangedPages()
            throw error
        }
    }

    private func readPages(from beginning: PassState) async throws -> RunEnd? {
        var state = beginning
        isAllNew = start.isFirst(state)
        while true {
            try context.checkMayBegin(page: pages, of: entity)
            context.activity.turn(toPage: state.pageNumber + 1)
            try await keepPace()
            let begun = ContinuousClock.now
            switch try await source.fetch(&state, isFirst: committedPages == 0) {
            case .beginAnew:
                await commitUnchangedPages()
                state = restarted(state, isFull: true)
            case .goOn(let newest):
                state.goOn(since: newest, entity)
            case .skipped(let reason):
                try await Skip(of: entity, context).note(reason)
                return nil
            case .positionLost(let end): state = try begunAnew(state, after: end)
            case .failing(let page, let end):
                try await keep(page, of: state)
                throw end
            case .page(let page):
                // What is made of the page is as large as the page, until it is written.
                defer { withExtendedLifetime(page.holds) {} }
                let step = try await take(page, of: &state)
                context.progress.pace.add(ContinuousClock.now - begun)
                switch step {
                case .goOn: break
                case .end(let end): return end
                case .beginAnew:
                    await commitUnchangedPages()
                    state = try begunAnew(state, after: PassProgress.repeatedPage)
                }
            }
        }
    }

    // MARK: One page

    private enum Step {
        case goOn
        /// The page shows the one before it, and what lies before that another run has read.
        case beginAnew
        /// The pass has ended; with an end of the run it ends with it.
        case end(RunEnd?)
    }

    /// What a page comes to, before anything of it is written.
    private enum Judgement {
        /// It shows the page before it, and what lies before that another run has read.
        case beginAnew
        /// The pass gives up with it, for nothing of it could be read.
        case worthless(RunEnd)
        /// The pass ends with it, and writes nothing of its own.
        case end
        case write(PageWrite)
    }

    /// Commits the page, or ends the pass with it.
    private func take(_ fetched: FetchedPage, of state: inout PassState) async throws -> Step {
        switch try judge(fetched, of: &state) {
        case .beginAnew: return .beginAnew
        case .worthless(let end): return try await abandon(state, fetched, end)
        case .end: return .end(nil)
        case .write(let page): return try await commit(page, of: &state)
        }
    }

    // What it handles stands on a thread's stack; inlined, it would stand in the frame of a function that waits, for each
    // run in flight.
    @inline(never)
    private func judge(_ fetched: FetchedPage, of state: inout PassState) throws -> Judgement {
        var page = fetched
        guard try state.advance(to: &page, by: entity.page) else { return .beginAnew }
        state.add(page.batch)
        measure(page.batch.counts)
        let isLast = page.next.next == nil && state.isInLastWindow(of: entity)
        if isLast, let end = state.endOfUnread(entity, context.warnings) { return .worthless(end) }
        if isLast { noteAbsentFields(&state) }
        if !page.batch.failures.isEmpty { state.forgetAnswers() }
        var commit = state.commit(
            entity, next: page.next, maxSeen: page.batch.maxSeen?.watermarkText)
        if !commit.isEnd {
            commit.fullPage = max(commit.fullPage, page.batch.listed)
        }
        try commit.checkLengths()
        try commit.checkHoldNone(context.session.credentials)
        if unchanged.isEmpty, canEndWithoutPage(page, state, commit) {
            finishPass(at: state.pageNumber, commit)
            return .end
        }
        var write = PageWrite(page.batch, commit)
        write.isAskedFor = state.isAskedFor
        write.unread = state.unreadToNote(
            knowing: UnreadValues.read(context.checkpoints.given(entity.name).unread),
            isEnd: commit.isEnd)
        if let doubt = page.next.doubt {
            telling.tellUnprovenEnd(doubt)
        } else if commit.isEnd, state.mayEndInSweep(entity) {
            write.sweep = Sweep(entity, isRepair: state.isRepair, gone: part.gone)
        }
        let doubtOfAbsence = state.position.provesAbsence ? nil : state.absence.words
        if commit.isEnd, let doubtOfAbsence { telling.tellUnprovenAbsence(doubtOfAbsence) }
        // That nothing has changed is no look.
        if commit.isEnd, !page.isUnmodified {
            write.commit.followUps += troubles.followUps(
                ofFull: state.isFull, doubtOfEnd: page.next.doubt,
                doubtOfAbsence: doubtOfAbsence, sweeps: write.sweep != nil)
        }
        return .write(write)
    }

    /// Writes the page, or keeps it for the next commit where it changes nothing.
    private func commit(_ judged: PageWrite, of state: inout PassState) async throws -> Step {
        if try await endsUnchanged(judged, state) {
            finishPass(at: 0, judged.commit)
            return .end(nil)
        }
        var page = judged
        page.companions = told(of: state, isEnd: page.commit.isEnd)
        let written = try await wait(page, state) ? nil : try await write(page)
        pages += 1
        if let written, written.isStopRequested { return .end(.interrupted(.cancelled)) }
        if page.commit.isEnd { applyRepair(state, page.commit) }
        if page.sweep != nil { try await Confirmations(of: entity, context, troubles).ask() }
        let leavesNothingOpen = entity.write.deletes?.confirmation == nil
        if page.sweep != nil, let written, written.sweepVerdict == nil, leavesNothingOpen {
            context.progress.swept.insert(entity.name)
        }
        if page.commit.isEnd || written?.isEnough == true { return .end(nil) }
        if page.unread != nil { state.markUnreadStored() }
        state.advance(over: page.commit)
        return .goOn
    }

    /// Which pass the run's rows come with, and that it is at its end, where the file tells of syncs.
    private func told(of state: PassState, isEnd: Bool) -> [Statement] {
        guard tellsOfSyncs else { return [] }
        let told = ToldEvents(of: entity.name, for: context.inputs.job.claim)
        let name = start.name(of: state)
        return (committedPages == 0 ? [told.passBegan(name)] : [])
            + (isEnd ? [told.passEnded(name)] : [])
    }

    private var tellsOfSyncs: Bool { context.inputs.file.events.contains(.sync) }

    /// Commits a page, and with it those before that changed nothing.
    private func write(_ page: PageWrite) async throws -> WrittenPage {
        var page = page
        unchanged.join(&page)
        page.isProbablyNew = isAllNew
        let secrets = try await context.bring(page.batch.secrets, by: entity.name)
        page.opening = secrets.opening
        page.companions += secrets.storing + context.companions
        page.committedPages = committedPages
        let written = try await context.sink.write(page, writes)
        applyCommitted(page)
        context.markCompanionsStored()
        // Whether a merge has left something to push is asked of the table itself.
        context.progress.hasMerged = context.progress.hasMerged || written.hasWritten
        telling.tellSweep(written.sweepVerdict)
        context.tellLostEdits(written.editsLost, of: entity.name)
        guard let changed = written.changed else { return written }
        context.progress.changed += changed + written.swept
        context.progress.deleted += written.deleted + written.swept
        measure(changed - written.deleted, "changed")
        measure(written.deleted + written.swept, "deleted")
        changedLast = changed
        isAllNew = isAllNew && written.isAllNew
        context.services.log.emit(
            .pageCommitted(
                context.subject, entity: entity.name, page: page.commit.pageNumber,
                fetched: page.batch.counts.fetched, changed: changed))
        return written
    }

    private func measure(_ counts: PageCounts) {
        measure(counts.fetched, "fetched")
        measure(counts.skippedIncompatible, "incompatible")
        measure(counts.filtered, "filtered")
        measure(counts.duplicate, "duplicate")
    }

    private func measure(_ records: Int, _ fate: String) {
        context.services.metrics.add(
            records, to: .records, context.inputs.file.name, part.declared.name, fate)
    }

    private func applyCommitted(_ page: PageWrite) {
        unchanged = UnchangedPages()
        committedPages += page.commit.pageCount
        context.progress.pages += page.commit.pageCount
        context.progress.fetched += page.batch.counts.fetched
    }

    /// Tells of fields that no record of a full pass had: a path that leads nowhere makes such a column.
    private func noteAbsentFields(_ state: inout PassState) {
        state.noteAbsentFields(entity)
        context.warnings.tellUnread(
            state.fields.unread.filter { $1.kind == .absent }, entity.name,
            known: UnreadValues.read(context.checkpoints.given(entity.name).unread))
    }

    // MARK: Pages that change nothing

    /// Whether the page changes nothing, so that its checkpoint may wait for a later page's.
    ///
    /// Asked only where that is likely, since a page that does change something is then looked up
    /// twice: after a page that changed nothing, and at the start of a full pass that is not the first.
    private func wait(_ page: PageWrite, _ state: PassState) async throws -> Bool {
        guard mayWait(page), !unchanged.isDue,
            !unchanged.isEmpty || changedLast.map({ $0 == 0 }) ?? isRepeated(state),
            let older = await context.sink.olderRecords(ofUnchanged: page, writes)
        else { return false }
        unchanged.add(page, older: older)
        return true
    }

    /// An item's pass that changes nothing ends with the outcome of its run, as one without records does: a round of
    /// many items would else write as many checkpoints.
    private func endsUnchanged(_ page: PageWrite, _ state: PassState) async throws -> Bool {
        guard part.item != nil, page.commit.isEnd, committedPages == 0, !state.isResumed,
            !state.isFullRequested, !tellsOfSyncs, changesNothing(page),
            context.checkpoints[entity].syncedAge != nil,
            await context.sink.olderRecords(ofUnchanged: page, writes) != nil
        else { return false }
        unchanged = UnchangedPages()
        pages += 1
        return true
    }

    private func mayWait(_ page: PageWrite) -> Bool { !page.commit.isEnd && changesNothing(page) }

    /// Nothing but its records could make the page worth a commit.
    private func changesNothing(_ page: PageWrite) -> Bool {
        let commit = page.commit
        return commit.followUps.isEmpty && entity.write.unique == nil
            && page.batch.secrets.isEmpty && page.batch.failures.isEmpty
            && page.batch.remarks.isEmpty && page.unread == nil
            && !(page.isAskedFor && entity.write.mode == .newestWins)
            && !page.batch.actions.contains(.tombstone)
            && context.companions.isEmpty && !(entity.sweeps && commit.passKind == .full)
    }

    private func isRepeated(_ state: PassState) -> Bool {
        state.isFull && state.isAtStart && context.checkpoints[entity].syncedAge != nil
    }

    /// Commits the pages that wait, when the run yields before another page does.
    private func commitUnchangedPages() async {
        guard let commit = unchanged.commit else { return }
        var page = PageWrite(RecordBatch(entity), commit)
        unchanged.join(&page)
        guard await context.sink.writeLast(page, writes) else {
            return unchanged = UnchangedPages()
        }
        applyCommitted(page)
    }

    // MARK: Once more

    /// The pass once more from its beginning, after its position was lost.
    private func restarted(_ state: PassState, isFull: Bool) -> PassState {
        start.again(after: state, isFull: isFull)
    }

    /// The pass once more, after the source has refused its stored position for good; once a run.
    ///
    /// A position that outlives passes may be the one that is refused, so that its entity is read in full.
    private func begunAnew(_ state: PassState, after end: RunEnd) throws -> PassState {
        guard !wasBegunAnew else { throw end }
        wasBegunAnew = true
        context.services.log.emit(.passBegunAnew(context.subject, entity: entity.name))
        return restarted(state, isFull: state.isFull || entity.page.outlives)
    }

    /// Where the file names no rate, a run asks for its first hundred pages as fast as they come and
    /// then for fifty a second.
    private func keepPace() async throws {
        guard context.inputs.file.source.rate?.perSecond == nil, pages >= Self.freePages,
            let wait = context.progress.pace.rest(.milliseconds(20))
        else { return }
        try await context.activity.during(.pausing) {
            try await Task.sleep(until: min(wait, context.deadline), clock: .continuous)
        }
        guard wait < context.deadline else { throw RunEnd.interrupted(.deadline) }
    }

    // MARK: The end

    /// Stores what an answer carries that says that it failed: no position moves, nothing ends and nothing is deleted.
    private func keep(_ page: FetchedPage, of state: PassState) async throws {
        var batch = page.batch
        let tombstones = batch.indexes(of: .tombstone)
        batch.remove(Set(tombstones))
        batch.counts.filtered += tombstones.count
        guard batch.writtenCount > 0 else { return }
        _ = try await write(PageWrite(batch, state.standstill(entity)))
    }

    /// A last page without records writes nothing of its own: its end travels with the outcome.
    private func canEndWithoutPage(
        _ page: FetchedPage, _ state: PassState, _ commit: PageCommit
    ) -> Bool {
        commit.isEnd && page.batch.counts.fetched == 0 && !state.isFullRequested
            && !state.isRepair && !troubles.has(.zoneGone)
            && !(tellsOfSyncs && (start.isFirst(state) || !state.isAtStart))
            && (page.isUnmodified
                || !state.mayEndInSweep(entity) && state.position.provesAbsence
                    && page.next.doubt == nil && (troubles.isEmpty || !state.isFull))
    }

    /// Notes the end of a pass whose last page writes nothing, behind the committed page of that number; 0: none is.
    private func finishPass(at page: Int, _ commit: PageCommit) {
        context.sink.finishPass(commit)
        var position = commit.position
        position.pageNumber = page
        position.probe = commit.passProbe
        context.checkpoints.add(EndedPass(entity: commit.entity, position), of: entity)
    }

    /// What the second pass of a run that repairs begins from.
    private func applyRepair(_ state: PassState, _ commit: PageCommit) {
        guard state.isRepair else { return }
        context.checkpoints.move(to: state.checkpoint(after: commit))
    }

    /// Counts the page that the worthless pass ends with, and gives the pass up: a record was read and
    /// none of them fits, so that its end would prove nothing.
    private func abandon(
        _ state: PassState, _ page: FetchedPage, _ end: RunEnd
    ) async throws -> Step {
        var commit = state.standstill(entity)
        commit.followUps = [.abandoned(syncToken: state.tokenAtStart(entity))]
        var last = PageWrite(page.batch, commit)
        last.unread = state.fields.unread
        let written = try await write(last)
        if written.isStopRequested { return .end(.interrupted(.cancelled)) }
        return .end(end)
    }
}
