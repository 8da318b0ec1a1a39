/// The ids that join a line to the rows it speaks of; each is absent where the event has none.
public struct Subject: Sendable, Equatable {
    /// Name of the tenant, `tenants.name`.
    public var tenant: String?
    /// Key of the user within the tenant, `users.key`.
    public var user: String?
    /// Name of the job file, `jobs.name`.
    public var job: String?
    /// `jobs.id`.
    public var jobID: Int64?
    /// `runs.id`.
    public var run: Int64?
    /// The token of the claim, `jobs.fence`.
    public var fence: Int64?
    /// `workers.id`.
    public var worker: Int64?

    /// Gathers the ids that are known.
    public init(
        tenant: String? = nil, user: String? = nil, job: String? = nil, jobID: Int64? = nil,
        run: Int64? = nil, fence: Int64? = nil, worker: Int64? = nil
    ) {
        self.tenant = tenant
        self.user = user
        self.job = job
        self.jobID = jobID
        self.run = run
        self.fence = fence
        self.worker = worker
    }
}

/// How a run ended, as its line tells it.
public struct RunSummary: Sendable, Equatable {
    /// The outcome's word: `complete`, `partial`, `deferred`, `skipped`, `needs_reauth`, `failed`.
    public var outcome: String
    /// Pages committed.
    public var pages: Int
    /// Requests sent to the source, retries included.
    public var requests: Int
    /// Records fetched.
    public var fetched: Int
    /// Records inserted, updated or deleted.
    public var changed: Int
    /// Of them those deleted, by the source's word or because full passes lacked them.
    public var deleted = 0
    /// Entities of which the source had nothing for the user.
    public var skipped = 0
    /// From claim to finish.
    public var took: Duration
    /// The kind of the last failure, if there was one.
    public var errorKind: String?
    /// The last failure, already through `Redactor.sanitised`.
    public var error: String?

    /// Describes how a run ended.
    public init(
        outcome: String, pages: Int, requests: Int, fetched: Int, changed: Int, took: Duration,
        errorKind: String? = nil, error: String? = nil
    ) {
        self.outcome = outcome
        self.pages = pages
        self.requests = requests
        self.fetched = fetched
        self.changed = changed
        self.took = took
        self.errorKind = errorKind
        self.error = error
    }

    /// It failed or stood still, and the run before it had not: somebody should look.
    public var isNewTrouble = false

    /// Whether the run completed, changed nothing and met no failure: the common case.
    public var isIdle: Bool { outcome == "complete" && changed == 0 && error == nil }
}

/// Everything the program ever logs; there is no free-form line.
public enum Event: Sendable, Equatable {
    /// A worker is registered and claims.
    case workerStarted(Subject, host: String, pid: Int32, version: String, capacity: Int)
    /// Questions over HTTP are answered there.
    case listening(Subject, address: String)
    /// A worker stopped claiming and waits for `running` runs.
    case workerDraining(Subject, running: Int, reason: String)
    /// What a worker that was asked with SIGUSR1 answers of itself; `notReady` is empty when it takes jobs on.
    case workerState(Subject, busy: Int, free: Int, notReady: String)
    /// What it answers of a run: for how long it has its slot, and what it is doing since when.
    case slotState(
        Subject, holding: Duration, entity: String?, page: Int?, step: String, since: Duration)
    /// A worker is about to exit.
    case workerStopped(Subject, runs: Int, uptime: Duration)
    /// The database doesn't answer, or refuses; the worker tries again.
    ///
    /// Told again each minute while it lasts, with how many tries in a row have failed.
    case databaseLost(Subject, error: String, failures: Int)
    /// This process has no descriptor or port left for an exchange, whose run is put off; told once a minute.
    case ownLimitReached(Subject, error: String)
    /// More slots were asked for than this process may open files for: it has so many.
    case slotsLowered(Subject, asked: Int, capacity: Int, openFiles: Int)
    /// The database answers again.
    case databaseBack(Subject, after: Duration)
    /// A run begins.
    case runStarted(Subject)
    /// Records of a type that the entity does not sync are left alone; told once a run.
    case recordsIgnored(Subject, entity: String, type: String)
    /// The source has refused the stored position for good: the pass is read from its beginning.
    case passBegunAnew(Subject, entity: String)
    /// A record's time lies ahead of the pass, so that it moves no watermark; told once.
    case recordAhead(Subject, entity: String, record: String, reason: String)
    /// The stored position is worth nothing any more: the pass reads everything.
    case positionForgotten(Subject, entity: String, reason: String)
    /// Records lack a required field or hold one of another type; told when it begins.
    case recordsIncompatible(
        Subject, entity: String, incompatible: Int, fetched: Int, field: String)
    /// Values of a field can't be read as its type; told when it begins.
    case valuesUnread(Subject, entity: String, field: String, count: Int, example: String)
    /// No record of a full pass has the member that a field is read from; told when it begins.
    case fieldAbsent(Subject, entity: String, field: String, records: Int)
    /// Numbers of a field have more digits than a double keeps; told when it begins.
    case valuesRounded(Subject, entity: String, field: String, count: Int, example: String)
    /// A value of a field holds a list that says that it goes on; told when it begins.
    case listCut(Subject, entity: String, field: String, sign: String)
    /// The source has nothing of an entity for this user, by a rule of the job file; told when it begins.
    case entitySkipped(Subject, entity: String, reason: String)
    /// A pass ends where its list may go on; told when it begins.
    case endUnproven(Subject, entity: String, reason: String)
    /// What a pass did not show may be there all the same, so that nothing is deleted; told when it begins.
    case absenceUnproven(Subject, entity: String, reason: String)
    /// A full pass lacked so many rows that none was deleted; told when it begins.
    case sweepRefused(Subject, entity: String, reason: String)
    /// So many edits and deletions made here gave way to what the source has.
    case editsLost(Subject, entity: String, count: Int)
    /// A run goes on though its deadline passed so long ago; told once a run.
    case runOverdue(Subject, since: Duration)
    /// A job file is wrong, so that its jobs don't run; told at a worker's start.
    case jobFileRefused(Subject, mistake: String)
    /// Secrets that this worker's key does not open, so that their jobs are put off; told at a worker's start.
    case secretsLocked(Subject, count: Int, reason: String)
    /// New tenants can't be given keys, or those of removed ones can't be removed; told when it begins.
    case keysUnusable(Subject, error: String)
    /// The system would not keep all of this process's secrets out of swap; told once.
    case memoryUnlocked(Subject)
    /// Local edits were brought to the source.
    case rowsPushed(Subject, entity: String, pushed: Int, failed: Int)
    /// A run ended; an idle one only shows at `debug`.
    case runFinished(Subject, RunSummary)
    /// Somebody else holds the job now; nothing of this run was written.
    case runLost(Subject, at: String)
    /// A run waits longer than its deadline allows, and gave its slot back.
    case runDeferred(Subject, wait: Duration, reason: String)
    /// Jobs were taken from a worker whose heartbeat stopped.
    case jobsReaped(Subject, count: Int)
    /// A job was set aside for a while.
    case jobQuarantined(Subject, reason: String)
    /// A hundred runs in more than a day committed pages, and no pass ended; told once.
    case passEndless(Subject)
    /// Nobody asks this source for a while.
    case sourceBlocked(Subject, source: String, wait: Duration, reason: String)
    /// This source is asked again.
    case sourceUnblocked(Subject, source: String)
    /// A call whose failure is only a warning failed.
    case callWarned(Subject, call: String, error: String)
    /// A page and its checkpoint are committed.
    case pageCommitted(Subject, entity: String, page: Int, fetched: Int, changed: Int)
    /// A worker's job files are not those that migrate stored; told when they begin to be, or are others.
    case jobFilesDiffer(Subject, files: [String])
    /// Rows that a job file's health check says ought to be one.
    case duplicatesFound(Subject, table: String, columns: [String], values: Int, rows: Int)
    /// A bug: something happened that the design excludes.
    case internalError(Subject, message: String, location: String)
    /// Lines that were dropped because nobody read standard error.
    case linesDropped(count: Int)
}
