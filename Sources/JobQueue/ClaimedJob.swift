public import Basics
public import JSON
public import Postgres

/// A job this worker may run, with all that its run must know of the past.
public struct ClaimedJob: Sendable {
    /// The claim the run holds.
    public var claim: Claim
    /// Number of the tenant.
    public var tenantID: Int64
    /// Name of the tenant.
    public var tenantName = ""
    /// The tenant's own name for the user.
    public var userKey = ""
    /// The `due_at` the run answers to, microseconds since 1970.
    public var scheduledAt: Int64
    /// The database's time at the claim, microseconds since 1970.
    public var claimedAt: Int64
    /// How long the run may take, from the claim on.
    public var deadline: Duration
    /// Who asked for the run.
    public var lane: Lane
    /// The run ignores `min_gap`.
    public var isForced: Bool
    /// The run syncs this entity only.
    public var entity: String?
    /// When the job last completed, microseconds since 1970; nil means never.
    public var lastSuccessAt: Int64?
    /// The tick the run belongs to, microseconds since 1970.
    public var tickAt: Int64
    /// How the last run ended; nil when there was none.
    public var lastOutcome: Outcome?
    /// When a run last read every entity to its end and found nothing to note.
    public var unchangedAt: Int64?
    /// Where the claim has left its row; nil means that this is not known.
    public var place: RowPlace?
    /// The user's attributes: a JSON object.
    public var attributes = JSONValue.object([])
    /// How far each entity has come.
    public var checkpoints: [Checkpoint] = []
    /// What is remembered of named calls.
    public var calls: [CallMemory] = []
    /// Sealed secrets of the user and its tenant.
    public var secrets: [SealedSecret] = []
    /// What of all this can't be read, so that the job can't run; nil means nothing.
    public var unreadable: String?

    /// A person or application asked for the run.
    public var isAsked: Bool { lane == .asked }

    /// The checkpoint of an entity; a fresh one when it has none.
    public func checkpoint(of entity: String) -> Checkpoint {
        checkpoints.first { $0.entity == entity } ?? Checkpoint(entity: entity)
    }
}

/// Why a job is due: lanes are served one after the other within a tenant.
public enum Lane: Int, Sendable {
    /// A person or application asked for the run.
    case asked = 1
    /// The clock did.
    case due = 0
    /// The user was added with many, and no run of theirs was complete yet.
    case new = -1
}

/// How far an entity has come, as its row of `jobrunner.checkpoints` says.
public struct Checkpoint: Positioned, Sendable, Equatable {
    /// Name of the entity.
    public var entity: String
    /// Where its passes stand.
    @Boxed public var position = PassPosition()
    /// Start over with a full pass.
    public var isFullRequested = false
    /// The full pass that was asked for is a repair.
    public var isRepairRequested = false
    /// The full pass that is in progress was asked for.
    public var isFullUnderWay = false
    /// The last run that asked for the stored position was refused it by the source.
    public var isCursorRefused = false
    /// Since a pass was last completed, as of the claim; nil means never.
    public var syncedAge: Duration?
    /// Since its own row says so: a job's row says of runs that found nothing new that all was read, also what no run asked
    /// for; nil means never.
    public var notedAge: Duration?
    /// Since the last full pass that was read to its end began, as of the claim; nil means never.
    public var lastFullAge: Duration?
    /// Its last pass left an error, or one was noted since.
    public var hasFailures = false
    /// Its last pass was skipped: the source had nothing of it for this user.
    public var isSkipped = false
    /// What of it waits for a person.
    public var troubles: [StandingTrouble.Kind: StandingTrouble] = [:]
    /// The run that last committed a page of it met incompatible records.
    public var hadIncompatible = false
    /// A record that lies ahead was told.
    public var knowsAhead = false
    /// By field or flag, values that its last pass could not read; nil means none.
    public var unread: JSONValue?
    /// Read to its end at this very tick, by a run that was interrupted behind it.
    public var isDone = false
    /// Runs of the job in a row that were cut off and had read nothing new, where a pass is in progress.
    public var fruitlessRuns = 0
    /// The table has columns that no full pass has filled, and this user's turn for one has come.
    public var isColumnDue = false

    /// The checkpoint of an entity that was never synced.
    public init(entity: String) {
        self.entity = entity
    }

    /// It was reset, and no full pass has been read to its end since.
    public var isReset: Bool { position.generation > 0 && lastFullAge == nil }
}

/// What a job remembers of a named call.
public struct CallMemory: Sendable, Equatable {
    /// Name of the call.
    public var call: String
    /// Since its last success.
    public var age: Duration
    /// Hash of the list it sent, when it sent one.
    public var listHash: String?
}

/// A secret as the table holds it.
public struct SealedSecret: Sendable, Equatable {
    /// 0 for the tenant's own.
    public var userID: Int64
    /// Name of the job.
    public var name: String
    /// The sealed box; empty where the run's job file does not name the secret.
    public var sealed: [UInt8]
    /// Changes when a person stores another, and not when the source replaces its credential.
    public var version: Int64
    /// Changes with every value, and not when the same value is sealed anew.
    public var revision: Int64
}
