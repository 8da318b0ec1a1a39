import JobFiles
import JobQueue
import Reading

/// Where one entity's pass stands, in memory: the committed checkpoint and what comes after it.
///
/// Resumed from a checkpoint with a pass in progress, else begun anew. Between pages it equals what
/// the database holds, so that dropping it at any moment loses at most the page in flight.
struct PassState {
    let kind: Checkpoint.PassKind
    let startedAt: Int64
    /// The `{since}` of all its pages (the client's way: it stays, the cursor moves).
    private(set) var since: String?
    let generation: Int64
    /// Its number among the passes of the entity, which the commit of its first page takes.
    let number: Int
    private(set) var pageNumber: Int
    private(set) var position: String?
    private(set) var syncToken: String?
    private(set) var partialWatermark: String?
    /// No record of the pass was unreadable.
    private(set) var isWhole: Bool
    /// Why what the pass does not show may be there all the same; nil: it is not.
    private(set) var doubtOfAbsence: String?
    /// `ETag` and `Last-Modified` of its first answer; of the last pass's until that has come.
    ///
    /// It proves that one answer, and is kept only where no other follows.
    var validator: String?
    /// Stands for what is asked.
    let asked: Int64?
    /// What the probe says now.
    var probe: String?
    /// A request for a full pass is still noted and must be cleared by a committed page.
    let isFullRequested: Bool
    /// The last request it knew of when it began.
    let fullRequest: Int
    /// A full pass that somebody asked for: it brings rows to what the source shows, whatever their versions.
    let isAskedFor: Bool
    /// Rows that it does not show are sent anew, not deleted.
    let isRepair: Bool

    /// Whether its records can be read at all.
    private(set) var readability: Readability
    /// Which of their fields.
    private(set) var fields: FieldReadability
    private let isResumed: Bool
    /// The position that outlives passes, as the pass found it.
    private var tokenOfBeginning: String?

    /// Resumes the pass in progress; nil when there is none, or a full one was asked for.
    init?(resuming checkpoint: Checkpoint, of entity: Entity, asking asked: Int64? = nil) {
        guard let kind = checkpoint.passKind, let startedAt = checkpoint.passStartedAt,
            !checkpoint.isFullRequested
        else { return nil }
        self.kind = kind
        self.startedAt = startedAt
        since = checkpoint.passSince
        generation = checkpoint.generation
        number = checkpoint.passNumber
        fullRequest = checkpoint.fullRequest
        pageNumber = checkpoint.pageNumber
        position = checkpoint.cursor
        syncToken = checkpoint.syncToken
        partialWatermark = checkpoint.partialWatermark
        isWhole = checkpoint.isWhole
        validator = nil
        self.asked = asked
        probe = checkpoint.passProbe
        isFullRequested = false
        isRepair = checkpoint.isRepairRequested
        readability = Readability(noted: checkpoint.isUnreadable, isResumed: true)
        fields = FieldReadability(entity, noted: UnreadValues.read(checkpoint.unread))
        isAskedFor = kind == .full && (checkpoint.isFullUnderWay || checkpoint.isReset)
        isResumed = true
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
        since = reached ?? entity.incremental?.first
        syncToken = isFull ? nil : checkpoint.syncToken
        position = entity.page.firstPosition(persisted: entity.page.outlives ? syncToken : nil)
        kind = reached != nil || (entity.page.isFeed && position != nil) ? .incremental : .full
        self.startedAt = startedAt
        self.asked = asked
        generation = checkpoint.generation
        number = checkpoint.passNumber + 1
        fullRequest = checkpoint.fullRequest
        pageNumber = 0
        partialWatermark = nil
        isWhole = true
        validator = isFull ? nil : checkpoint.validator
        probe = nil
        isFullRequested = checkpoint.isFullRequested
        isRepair = checkpoint.isRepairRequested
        tokenOfBeginning = syncToken
        readability = Readability(noted: checkpoint.isUnreadable, isResumed: false)
        fields = FieldReadability(entity)
        isAskedFor = checkpoint.isFullRequested || (checkpoint.isReset && kind == .full)
        isResumed = false
    }

    /// Nothing of it is committed: it was begun in this run.
    var isAtStart: Bool { pageNumber == 0 }

    /// It asks for a position that the source gave, not for where every pass begins.
    func isBeyondBeginning(of entity: Entity) -> Bool {
        position != nil && position != entity.page.firstPosition(persisted: nil)
    }

    /// The last pass of which a page is committed: this one, or the one before it.
    var committedNumber: Int { isAtStart ? number - 1 : number }

    /// Ends with a sweep, which a pass with unreadable records may not.
    ///
    /// Nor may one that went on from the newest watermark: where the source's comparison is a strict one, records of that
    /// same watermark that it had not shown yet would be taken for deleted.
    func mayEndInSweep(_ entity: Entity) -> Bool {
        kind == .full && isWhole && doubtOfAbsence == nil && entity.sweeps
            && since == entity.incremental?.first
    }

    /// Past a record that the source could not give only a full pass moves.
    ///
    /// Else it would be missed until somebody changes it. One that never heals makes the passes
    /// wider at most until then.
    private var mayMoveOn: Bool { isWhole || kind == .full }

    /// Takes in what a page's records were like.
    mutating func add(_ batch: RecordBatch) {
        isWhole = isWhole && batch.isWhole
        doubtOfAbsence = doubtOfAbsence ?? batch.doubtOfAbsence
        readability.add(batch)
        fields.add(batch)
    }

    /// What could not be read, where the checkpoint does not know it yet, or knows what is true no more.
    func unreadToNote(knowing noted: [String: UnreadValues], isEnd: Bool) -> [String: UnreadValues]?
    {
        let isNew =
            fields.unread.contains { $1.kind != .absent } || fields.unread.count != noted.count
        if fields.isChanged || isEnd && !fields.unread.isEmpty && isNew { return fields.unread }
        return isEnd && kind == .full && fields.unread.isEmpty && !noted.isEmpty ? [:] : nil
    }

    /// Notes the fields that no record of the whole pass had; what another run read of it is not known.
    mutating func noteAbsentFields(_ entity: Entity) {
        // CloudKit leaves out every field without a value.
        guard kind == .full, !isResumed, entity.cloudkit == nil else { return }
        fields.noteAbsent()
    }

    /// The checkpoint knows what could not be read.
    mutating func markUnreadStored() { fields.markStored() }

    /// Its records came, and its end would say that there are none.
    var isWorthless: Bool { readability.isWorthless(isFull: kind == .full) }

    /// Where the pass after this one begins, if this one is given up.
    ///
    /// A keyset's position moved with every page; of a pass that another run began its beginning is
    /// not known, and the next one reads everything.
    func tokenAtStart(_ entity: Entity) -> String? {
        if entity.page.persists { return isResumed ? nil : tokenOfBeginning }
        return syncToken
    }

    /// A record failed at the source: that nothing has changed since must not excuse the next pass
    /// from reading it.
    mutating func forgetAnswers() {
        validator = nil
        probe = nil
    }

    /// The commit that moves the checkpoint over the page just read.
    func commit(_ entity: Entity, next: NextPosition, maxSeen: String?) -> PageCommit {
        let isEnd = next.next == nil
        let seen = greaterWatermark(partialWatermark, maxSeen)
        var commit = PageCommit(
            entity: entity.name, generation: generation, pageNumber: pageNumber + 1,
            passKind: kind, passStartedAt: startedAt, passSince: since, cursor: next.next,
            syncToken: token(entity, next), partialWatermark: seen, isEnd: isEnd,
            watermark: isEnd && mayMoveOn ? watermark(entity, seen: seen) : nil)
        commit.passNumber = number
        commit.fullRequest = fullRequest
        commit.isWhole = isWhole
        if !isEnd { commit.followUp = readability.change.map { .unreadable($0) } }
        commit.validator = isEnd && isAtStart ? validator : nil
        commit.probe = probe
        commit.asked = asked
        return commit
    }

    /// The commit of a page that moves no position: the next run asks for it again.
    func standstill(_ entity: Entity) -> PageCommit {
        var commit = self.commit(
            entity, next: NextPosition(next: position ?? "", reached: syncToken), maxSeen: nil)
        commit.cursor = position
        commit.syncToken = syncToken
        return commit
    }

    /// What the pass is to its entity when it has been read to its end.
    private func watermark(_ entity: Entity, seen: String?) -> String? {
        switch entity.incremental?.watermark {
        case .runStart: Timestamp.iso8601(startedAt)
        case .maxSeen: seen
        case nil: nil
        }
    }

    /// A keyset's position moves with every page, a feed's token at its end: until then the cursor
    /// is the token.
    private func token(_ entity: Entity, _ next: NextPosition) -> String? {
        guard entity.page.outlives, !entity.page.isFeed || (next.next == nil && mayMoveOn) else {
            return syncToken
        }
        return next.reached ?? syncToken
    }

    /// Steps over a committed page.
    mutating func advance(over commit: PageCommit) {
        pageNumber = commit.pageNumber
        position = commit.cursor
        syncToken = commit.syncToken
        partialWatermark = commit.partialWatermark
        if case .unreadable(let isNoted)? = commit.followUp { readability.keep(isNoted) }
    }

    /// Where the pass can go on when the source refuses its position: at the greatest watermark that it has stored.
    ///
    /// Nil when its records don't come in the order of the watermark, or none has come that is greater than what the
    /// pass asks for now: it would ask for the same pages again.
    func sinceOfNewest(_ entity: Entity) -> String? {
        guard entity.comesInOrderOfWatermark, isBeyondBeginning(of: entity),
            let newest = partialWatermark.flatMap({ entity.incremental?.since($0) }),
            newest != since, greaterWatermark(newest, since) == newest
        else { return nil }
        return newest
    }

    /// Asks from there on, from the first page of what it asks for then.
    mutating func goOn(since newest: String, _ entity: Entity) {
        since = newest
        position = entity.page.firstPosition(persisted: nil)
    }
}
