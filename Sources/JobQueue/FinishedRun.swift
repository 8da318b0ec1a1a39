public import Basics
public import Postgres

/// What a run tells the database at its end; the database decides what follows.
public struct FinishedRun: Sendable {
    /// The claim the run holds.
    public var claim: Claim
    /// Number of the tenant.
    public var tenantID: Int64
    /// How the run ended.
    public var outcome: Outcome
    /// Kind of error; a source's own word, such as `user_not_found`, where a job file declares one.
    public var errorKind: String?
    /// At most 1 KiB of clean text without secrets.
    public var error: String?
    /// Where it failed; several when entities do not depend on one another.
    public var failures: [EntityFailure]
    /// How long a deferred job waits.
    public var wait: Duration?
    /// Requests it sent.
    public var requests: Int
    /// Passes that ended without anything to write.
    public var endedPasses: [EndedPass]
    /// Calls that succeeded and that no page's transaction has remembered.
    public var calls: [PendingCall]
    /// It may have committed a page or a push, so that its checkpoints must be looked at.
    public var hasCommitted: Bool
    /// It read every entity to its end and found nothing that a checkpoint would have to note.
    public var isUnchanged: Bool
    /// Versions of the secrets it had read: what is stored beside them came too late for it.
    public var secretVersions: [Int64]
    /// Where its claim has left the job's row; nil means that it is not known, or not there any more.
    public var place: RowPlace?
    /// The host of its source that the user has chosen; nil where the file or the tenant names it.
    public var host: String?

    /// Describes the end of one run.
    public init(
        claim: Claim, tenantID: Int64 = 0, outcome: Outcome, errorKind: String? = nil,
        error: String? = nil,
        failures: [EntityFailure] = [], wait: Duration? = nil, requests: Int = 0,
        endedPasses: [EndedPass] = [], calls: [PendingCall] = [], hasCommitted: Bool = true,
        isUnchanged: Bool = false, secretVersions: [Int64] = [], host: String? = nil
    ) {
        self.claim = claim
        self.tenantID = tenantID
        self.outcome = outcome
        self.errorKind = errorKind
        self.error = error
        self.failures = failures
        self.wait = wait
        self.requests = requests
        self.endedPasses = endedPasses
        self.calls = calls
        self.hasCommitted = hasCommitted
        self.isUnchanged = isUnchanged
        self.secretVersions = secretVersions
        self.host = host
    }

    /// Its end has nothing to note but that it was complete, so that it may be ended by its place.
    public var isIdle: Bool {
        place != nil && outcome == .complete && errorKind == nil && wait == nil && !hasCommitted
            && failures.isEmpty && endedPasses.isEmpty && calls.isEmpty
    }
}

/// The failure of one entity in a run.
public struct EntityFailure: Sendable, Equatable {
    /// Name of the entity, or of its pass.
    public var entity: String
    /// Kind of error, as of the run.
    public var kind: String
    /// At most 1 KiB of clean text without secrets.
    public var error: String?

    /// Describes a failure.
    public init(entity: String, kind: String, error: String?) {
        self.entity = entity
        self.kind = kind
        self.error = error
    }
}

/// A pass whose last page was empty: only its end is to be noted.
public struct EndedPass: Positioned, Sendable, Equatable {
    /// Name of the entity.
    public var entity: String
    /// Where the pass ended: behind its last committed page; 0: it has none.
    @Boxed public var position: PassPosition

    /// Describes the end of a pass.
    public init(entity: String, _ position: PassPosition) {
        self.entity = entity
        self.position = position
    }

    /// It read everything.
    public var isFull: Bool { position.passKind == .full }
}

/// What `finish_runs` says of a run that did not simply end.
public struct Verdict: Sendable, Equatable {
    /// What happened to the outcome.
    public enum Kind: String, Sendable {
        /// The claim was taken away; nothing is written.
        case lost
        /// Another transaction holds the job; nothing is written, to be tried again.
        case busy
        /// Written, and the job is set aside.
        case quarantined
        /// Written, and the job's pass begins to count as one that does not end.
        case endless
    }
    /// Number of the user.
    public var userID: Int64
    /// Name of the job.
    public var name: String
    /// Number of the run.
    public var fence: Int64
    /// What happened to the outcome.
    public var kind: Kind
}
