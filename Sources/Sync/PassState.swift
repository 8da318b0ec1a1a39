import Basics
import JobFiles
import JobQueue
import Reading

/// Where one entity's pass stands, in memory: the committed checkpoint and what comes after it.
///
/// Resumed from a checkpoint with a pass in progress, else begun anew. Between pages it equals what
/// the database holds, so that dropping it at any moment loses at most the page in flight.
struct PassState: Positioned {
    /// Where it stands.
    ///
    /// Its validator is that of its first answer, and of the last pass's until that has come: it proves that one answer, and
    /// is kept only where no other follows.
    @Boxed var position: PassPosition
    /// A request for a full pass is still noted and must be cleared by a committed page.
    let isFullRequested: Bool
    /// A full pass that somebody asked for: it brings rows to what the source shows, whatever their versions.
    let isAskedFor: Bool
    /// Rows that it does not show are sent anew, not deleted.
    let isRepair: Bool
    /// Whether its records can be read at all.
    private(set) var readability: Readability
    /// Which of their fields.
    private(set) var fields: FieldReadability
    /// Another run began it.
    let isResumed: Bool
    /// Its item is none any more: nothing is asked for, so that it reaches nothing that a later pass could go on from.
    var isOfGoneItem = false
    /// The position that outlives passes, as the pass found it.
    private var tokenOfBeginning: String?
    /// How it has come forward in this run.
    private var progress = PassProgress()
    /// Why it proves no absence, if it does not.
    private(set) var absence = AbsenceDoubt()

    /// Resumes the pass in progress; nil when there is none, or a full one was asked for.
    init?(resuming checkpoint: Checkpoint, of entity: Entity, asking asked: Int64? = nil) {
        guard checkpoint.passKind != nil, checkpoint.passStartedAt != nil,
            !checkpoint.isFullRequested
        else { return nil }
        var position = checkpoint.position
        position.validator = nil
        position.asked = asked
        self.position = position
        isFullRequested = false
        isRepair = checkpoint.isRepairRequested
        isAskedFor =
            position.passKind == .full && (checkpoint.isFullUnderWay || checkpoint.isReset)
        readability = Readability(resuming: checkpoint.isUnreadable)
        fields = FieldReadability(entity, noted: UnreadValues.read(checkpoint.unread))
        isResumed = true
        progress = PassProgress(isFromBeginning: !isBeyondBeginning(of: entity))
    }

    /// Begins a pass: incremental from the watermark or token, or full.
    ///
    /// `fallback` stands in for a watermark the entity does not have.
    init(
        beginning entity: Entity, from checkpoint: Checkpoint, isFull: Bool, startedAt: Int64,
        asking asked: Int64? = nil, fallback: String? = nil
    ) {
        let isFull = isFull || checkpoint.isFullRequested
        let incremental = isFull ? nil : entity.incremental
        let reached = incremental.flatMap { rule in
            (checkpoint.watermark ?? fallback).map(rule.since)
        }
        var position = checkpoint.position.betweenPasses
        if isFull {
            position.syncToken = nil
            position.validator = nil
        }
        let token = entity.page.outlives ? position.syncToken : nil
        position.cursor = entity.page.firstPosition(persisted: token)
        let isFromToken = entity.page.isFeed && token != nil
        position.passKind = reached != nil || isFromToken ? .incremental : .full
        position.passNumber += 1
        position.passStartedAt = startedAt
        position.passSince =
            entity.page.resumesBySince ? token : reached ?? entity.incremental?.first
        position.pageNumber = 0
        position.asked = asked
        self.position = position
        isFullRequested = checkpoint.isFullRequested
        isRepair = checkpoint.isRepairRequested
        isAskedFor =
            checkpoint.isFullRequested || (checkpoint.isReset && position.passKind == .full)
        tokenOfBeginning = position.syncToken
        readability = Readability()
        fields = FieldReadability(entity)
        isResumed = false
    }

    /// It reads everything.
    var isFull: Bool { position.passKind == .full }

    /// When it began, microseconds since 1970.
    var startedAt: Int64 { position.passStartedAt ?? 0 }

    /// Nothing of it is committed: it was begun in this run.
    var isAtStart: Bool { position.pageNumber == 0 }

    /// It asks for a position that the source gave, not for where every pass begins.
    func isBeyondBeginning(of entity: Entity) -> Bool {
        position.cursor != nil && position.cursor != entity.page.firstPosition(persisted: nil)
            || entity.page.resumesBySince && position.passSince != nil
    }

    /// What the source gave to ask with.
    func given(_ entity: Entity) -> String? {
        position.cursor ?? (entity.page.resumesBySince ? position.passSince : nil)
    }

    /// The last pass of which a page is committed: this one, or the one before it.
    var committedNumber: Int { position.passNumber - (isAtStart ? 1 : 0) }

    /// Sees that it comes forward, and ends it with a page that shows the one before where that is how its list ends.
    ///
    /// False: what lies before the page another run has read, so that nobody knows; the pass must begin anew. Throws `RunEnd`
    /// cursor loop where the page leads back. What is committed stands.
    mutating func advance(to page: inout FetchedPage, by rule: Page) throws -> Bool {
        do {
            try progress.advance(&page, at: position.cursor, by: rule)
            return true
        } catch let end as RunEnd {
            guard rule.isCounted, !progress.isFromBeginning else { throw end }
            return false
        }
    }

    /// Ends with a sweep, which a pass with unreadable records may not.
    ///
    /// Nor may one that went on from the newest watermark: where the source's comparison is a strict one, records of that
    /// same watermark that it had not shown yet would be taken for deleted.
    func mayEndInSweep(_ entity: Entity) -> Bool {
        isFull && position.isWhole && position.provesAbsence && entity.sweeps
            && entity.incremental?.window == nil && entity.incremental?.lag == nil
            && position.passSince == entity.incremental?.first
    }

    /// Past a record that the source could not give only a full pass moves.
    ///
    /// Else it would be missed until somebody changes it. One that never heals makes the passes
    /// wider at most until then.
    private var mayMoveOn: Bool { position.isWhole || isFull }

    /// Takes in what a page's records were like.
    mutating func add(_ batch: RecordBatch) {
        position.isWhole = position.isWhole && batch.isWhole
        if absence.add(batch) { position.provesAbsence = false }
        readability.add(batch)
        position.isUnreadable = readability.isUnreadable ?? false
        fields.add(batch)
    }

    /// What could not be read, where the checkpoint does not know it yet, or knows what is true no more.
    func unreadToNote(knowing noted: [String: UnreadValues], isEnd: Bool) -> [String: UnreadValues]?
    {
        // Fields that no record has are known by their names, and only a full pass knows of them.
        let isNew =
            fields.unread.contains { $1.kind != .absent }
            || Set(fields.unread.keys) != Set(noted.keys)
        if fields.isChanged || isEnd && !fields.unread.isEmpty && isNew {
            let absent = isFull ? [:] : noted.filter { $1.kind == .absent }
            return fields.unread.merging(absent) { ours, _ in ours }
        }
        return isEnd && isFull && fields.unread.isEmpty && !noted.isEmpty ? [:] : nil
    }

    /// Notes the fields that no record of the whole pass had; what another run read of it is not known.
    mutating func noteAbsentFields(_ entity: Entity) {
        // CloudKit leaves out every field without a value.
        guard isFull, !isResumed, entity.cloudkit == nil else { return }
        fields.noteAbsent()
    }

    /// The checkpoint knows what could not be read.
    mutating func markUnreadStored() { fields.markStored() }

    /// Its records came, and its end would say that there are none.
    var isWorthless: Bool { readability.isWorthless(isFull: isFull) }

    /// Where the pass after this one begins, if this one is given up.
    ///
    /// A keyset's position moved with every page; of a pass that another run began its beginning is
    /// not known, and the next one reads everything.
    func tokenAtStart(_ entity: Entity) -> String? {
        if entity.page.persists { return isResumed ? nil : tokenOfBeginning }
        return position.syncToken
    }

    /// A record failed at the source: that nothing has changed since must not excuse the next pass
    /// from reading it.
    mutating func forgetAnswers() {
        position.validator = nil
        position.passProbe = nil
    }

    /// The commit that moves the checkpoint over the page just read.
    func commit(_ entity: Entity, next: NextPosition, maxSeen: String?) -> PageCommit {
        let isEnd = next.next == nil && isInLastWindow(of: entity)
        var commit = PageCommit(entity: entity.name, position, isEnd: isEnd)
        commit.pageNumber += 1
        commit.cursor = next.next
        if next.next == nil, !isEnd { turnToNextWindow(&commit, entity) }
        commit.syncToken = token(entity, next)
        let seen = greaterWatermark(position.partialWatermark, maxSeen)
        commit.partialWatermark = seen
        commit.watermark = isEnd && mayMoveOn && !isOfGoneItem ? watermark(entity, seen: seen) : nil
        if !isEnd || !isAtStart { commit.validator = nil }
        return commit
    }

    /// Up to when the pass as a whole asks, microseconds since 1970.
    private func end(_ rule: Incremental) -> Int64 {
        startedAt - (rule.lag?.wholeMicroseconds ?? 0)
    }

    /// Up to when the pass asks now, microseconds since 1970: `{until}`; nil where it is no matter of time.
    ///
    /// It follows from what the checkpoint keeps, so that a pass that is gone on with asks for the same again.
    func until(_ entity: Entity) -> Int64? {
        guard let rule = entity.incremental else { return nil }
        let end = end(rule)
        guard let window = rule.window, let since = position.passSince,
            let begin = Timestamp.microseconds(since)
        else { return end }
        return min(begin + window.wholeMicroseconds, end)
    }

    /// No other window follows.
    func isInLastWindow(of entity: Entity) -> Bool {
        guard let rule = entity.incremental, rule.window != nil, let until = until(entity) else {
            return true
        }
        return until >= end(rule)
    }

    /// The next window begins where this one ends, which both may show: no record lies between two.
    private func turnToNextWindow(_ commit: inout PageCommit, _ entity: Entity) {
        commit.passSince = until(entity).map(Timestamp.iso8601)
        commit.cursor = entity.page.firstPosition(persisted: nil)
    }

    /// The commit of a page that moves no position: the next run asks for it again.
    func standstill(_ entity: Entity) -> PageCommit {
        var commit = self.commit(
            entity, next: NextPosition(next: position.cursor ?? "", reached: position.syncToken),
            maxSeen: nil)
        commit.cursor = position.cursor
        commit.syncToken = position.syncToken
        return commit
    }

    /// What the pass is to its entity when it has been read to its end.
    private func watermark(_ entity: Entity, seen: String?) -> String? {
        switch entity.incremental?.watermark {
        case .runStart: entity.incremental.map { Timestamp.iso8601(end($0)) }
        case .maxSeen: seen
        case nil: nil
        }
    }

    /// A keyset's position moves with every page, a feed's token at its end: until then the cursor
    /// is the token.
    private func token(_ entity: Entity, _ next: NextPosition) -> String? {
        guard entity.page.outlives, !entity.page.isFeed || (next.next == nil && mayMoveOn) else {
            return position.syncToken
        }
        return next.reached ?? position.syncToken
    }

    /// Steps over a committed page.
    mutating func advance(over commit: PageCommit) {
        // Another window has positions of its own.
        if commit.passSince != position.passSince { progress = PassProgress() }
        position = commit.position
    }

    /// Where the pass can go on when the source refuses its position: at the greatest watermark that it has stored.
    ///
    /// Nil when its records don't come in the order of the watermark, or none has come that is greater than what the
    /// pass asks for now: it would ask for the same pages again.
    func sinceOfNewest(_ entity: Entity) -> String? {
        guard entity.incremental?.window == nil, entity.comesInOrderOfWatermark,
            isBeyondBeginning(of: entity),
            let newest = position.partialWatermark.flatMap({ entity.incremental?.since($0) }),
            newest != position.passSince,
            greaterWatermark(newest, position.passSince) == newest
        else { return nil }
        return newest
    }

    /// Asks from there on, from the first page of what it asks for then.
    mutating func goOn(since newest: String, _ entity: Entity) {
        position.passSince = newest
        position.cursor = entity.page.firstPosition(persisted: nil)
        progress = PassProgress()
    }
}
