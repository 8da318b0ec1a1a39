import JSON
import JobFile
import Queue

/// Where one entity's pass stands, in memory: the committed checkpoint and what comes after it.
///
/// Resumed from a checkpoint with a pass in progress, else begun anew. Between pages it equals what
/// the database holds, so that dropping it at any moment loses at most the page in flight.
struct PassState {
    let kind: Checkpoint.PassKind
    let startedAt: Int64
    /// The `{since}` of all its pages (the client's way: it stays, the cursor moves).
    let since: String?
    let generation: Int64
    var pageNumber: Int
    var position: String?
    var syncToken: String?
    var partialWatermark: String?
    /// A request for a full pass is still noted and must be cleared by a committed page.
    let isFullRequested: Bool

    /// Resumes the pass in progress; nil when there is none, or a full one was asked for.
    init?(resuming checkpoint: Checkpoint) {
        guard let kind = checkpoint.passKind, let startedAt = checkpoint.passStartedAt,
            !checkpoint.isFullRequested
        else { return nil }
        self.kind = kind
        self.startedAt = startedAt
        since = checkpoint.passSince
        generation = checkpoint.generation
        pageNumber = checkpoint.pageNumber
        position = checkpoint.cursor
        syncToken = checkpoint.syncToken
        partialWatermark = checkpoint.partialWatermark
        isFullRequested = false
    }

    /// Begins a pass: incremental from the watermark, or full.
    init(beginning entity: Entity, from checkpoint: Checkpoint, isFull: Bool, startedAt: Int64) {
        let incremental = isFull || checkpoint.isFullRequested ? nil : entity.incremental
        since = incremental.flatMap { rule in checkpoint.watermark.map(rule.since) }
        kind = since == nil ? .full : .incremental
        self.startedAt = startedAt
        generation = checkpoint.generation
        pageNumber = 0
        syncToken = checkpoint.isFullRequested || isFull ? nil : checkpoint.syncToken
        position = entity.page.firstPosition(persisted: entity.page.persists ? syncToken : nil)
        partialWatermark = nil
        isFullRequested = checkpoint.isFullRequested
    }

    /// The commit that moves the checkpoint over the page just read.
    func commit(_ entity: Entity, next: NextPosition, maxSeen: String?) -> PageCommit {
        let isEnd = next.next == nil
        let seen = greaterWatermark(partialWatermark, maxSeen)
        return PageCommit(
            entity: entity.name, generation: generation, pageNumber: pageNumber + 1,
            passKind: kind, passStartedAt: startedAt, passSince: since, cursor: next.next,
            syncToken: token(entity, next), partialWatermark: seen, isEnd: isEnd,
            watermark: isEnd ? watermark(entity, seen: seen) : nil)
    }

    /// What the pass is to its entity when it has been read to its end.
    func watermark(_ entity: Entity, seen: String?) -> String? {
        switch entity.incremental?.watermark {
        case .runStart: Timestamp.iso8601(startedAt)
        case .maxSeen: seen
        case nil: nil
        }
    }

    /// A keyset position that outlives the pass moves with every page; other styles have none.
    func token(_ entity: Entity, _ next: NextPosition) -> String? {
        entity.page.persists ? next.reached ?? syncToken : syncToken
    }

    /// Steps over a committed page.
    mutating func advance(over commit: PageCommit) {
        pageNumber = commit.pageNumber
        position = commit.cursor
        syncToken = commit.syncToken
        partialWatermark = commit.partialWatermark
    }

    /// What `{page.token}` stands for.
    var tokenValue: JSONValue? { position.map(plainValue) }
}

/// A position or watermark as it stands in a body: a whole number as a number, all else as a text.
///
/// `+5` and `007` are texts: as numbers they would be no JSON.
func plainValue(_ text: String) -> JSONValue {
    Int64(text).map(String.init) == text ? .number(text) : .string(text)
}
