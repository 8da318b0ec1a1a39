public import Basics
public import Postgres
public import JobQueue
public import Reading

/// One page on its way into the tables, with the checkpoint that moves over it.
public struct PageWrite: Sendable {
    /// The records.
    @Boxed public var batch: RecordBatch
    /// Where the page leaves its entity.
    @Boxed public var commit: PageCommit
    /// Ends a full pass; nil when nothing is swept.
    public var sweep: Sweep?
    /// Hardly any of its rows is stored already, so that looking them up first is not worth it.
    public var isProbablyNew = false
    /// What the pass could not read so far, where the checkpoint does not know it; nil when it does.
    public var unread: [String: UnreadValues]?
    /// A full pass that was asked for: versions decide nothing.
    public var isAskedFor = false
    /// What else the run has to store in the page's transaction.
    public var companions: [Statement] = []
    /// What the transaction begins with, before it proves the claim: locks that come before the job's.
    public var opening: [Statement] = []
    /// Pages of the pass that this run has committed before.
    public var committedPages = 0
    /// Records of earlier pages that the commit covers, which changed nothing, and of them those that
    /// were older than their rows.
    var sentBefore = 0
    var olderBefore = 0

    /// A page of records and its checkpoint.
    public init(_ batch: RecordBatch, _ commit: PageCommit) {
        self.batch = batch
        self.commit = commit
    }
}

/// What became of a page.
public struct WrittenPage: Sendable {
    /// Rows that it changed; nil when the reply was lost, and only the checkpoint tells of the commit.
    public var changed: Int?
    /// Every record was inserted.
    public var isAllNew = false
    /// Records were written, so that a merge may have left something to push.
    public var hasWritten = false
    /// Rows that tombstones on the page deleted.
    public var deleted = 0
    /// Edits and deletions made here that gave way to what the page says.
    public var editsLost = 0
    /// Rows that the sweep deleted.
    public var swept = 0
    /// Why the sweep left an error at the checkpoint; nil when it left none.
    public var sweepVerdict: String?
    /// Someone has asked the run to stop.
    public var isStopRequested = false
    /// No more pages of the pass are wanted.
    public var isEnough = false

    /// A page that changed nothing that is known of.
    public init() {}
}
