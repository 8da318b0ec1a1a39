public import JSON

/// A job this worker may run, with all that its run must know of the past.
public struct ClaimedJob: Sendable {
    public var claim: Claim
    public var tenantID: Int64
    public var tenantName: String
    public var userKey: String
    /// The database's time at the claim, microseconds since 1970.
    public var claimedAt: Int64
    /// How long the run may take, from the claim on.
    public var deadline: Duration
    /// A person or application asked for the run.
    public var isAsked: Bool
    /// The run ignores `min_gap`.
    public var isForced: Bool
    /// The run syncs this entity only.
    public var entity: String?
    /// The user's attributes: a JSON object.
    public var attributes: JSONValue
    public var checkpoints: [Checkpoint]
    public var calls: [CallMemory]
    public var secrets: [SealedSecret]

    /// The checkpoint of an entity; a fresh one when it has none.
    public func checkpoint(of entity: String) -> Checkpoint {
        checkpoints.first { $0.entity == entity } ?? Checkpoint(entity: entity)
    }
}

/// How far an entity has come (DESIGN: checkpoint).
public struct Checkpoint: Sendable, Equatable {
    public enum PassKind: String, Sendable { case full, incremental }
    public var entity: String
    public var generation: Int64 = 0
    /// Start over with a full pass.
    public var isFullRequested = false
    /// The pass in progress; nil: none.
    public var passKind: PassKind?
    /// When it began, microseconds since 1970 by the source's clock where it tells it.
    public var passStartedAt: Int64?
    /// The `{since}` it was begun with.
    public var passSince: String?
    public var pageNumber = 0
    public var cursor: String?
    public var syncToken: String?
    public var partialWatermark: String?
    public var watermark: String?

    /// The checkpoint of an entity that was never synced.
    public init(entity: String) {
        self.entity = entity
    }
}

/// What a job remembers of a named call.
public struct CallMemory: Sendable, Equatable {
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
    public var name: String
    public var sealed: [UInt8]
}
