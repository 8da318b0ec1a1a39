public import Postgres

/// Where a page leaves its entity, for `commit_page`.
public struct PageCommit: Sendable, Equatable {
    /// What a page says of its pass besides its position; said seldom, so in a statement of its own.
    public enum FollowUp: Sendable, Equatable {
        /// Whether the pass has shown nothing yet that could be read.
        case unreadable(Bool)
        /// The pass has ended with a page that may not be the last.
        case endUnproven
        /// Nothing of the pass could be read: the next one begins where this one did.
        case abandoned(syncToken: String?)
    }

    /// Name of the entity.
    public var entity: String
    /// Generation of the checkpoint the pass was read under.
    public var generation: Int64
    /// 1 begins the pass.
    public var pageNumber: Int
    /// Full or incremental.
    public var passKind: Checkpoint.PassKind
    /// When the pass began, microseconds since 1970.
    public var passStartedAt: Int64
    /// The `{since}` of all its pages.
    public var passSince: String?
    /// Where the pass goes on; nil: nowhere.
    public var cursor: String?
    /// Position that outlives the pass.
    public var syncToken: String?
    /// Greatest server time seen by the pass in progress.
    public var partialWatermark: String?
    /// The page is the pass's last.
    public var isEnd: Bool
    /// The watermark to commit at the end.
    public var watermark: String?
    /// Every record of the pass so far could be read.
    public var isWhole = true
    /// `ETag` and `Last-Modified` of the one answer that the whole pass was, kept at its end.
    public var validator: String?
    /// What the probe said, kept at the pass's end.
    public var probe: String?
    /// Number of the pass, which its first page begins: that of the pass before it and one.
    public var passNumber = 1
    /// The last request for a full pass that the pass knew of; a later one stays asked for.
    public var fullRequest = 0
    /// Stands for what was asked.
    public var asked: Int64?
    /// How many records the page has, if it leads on to another; else 0.
    public var fullPage = 0
    /// Pages it covers, the last of them `pageNumber`: those before changed nothing.
    public var pageCount = 1
    /// What else it says of its pass; nil: nothing.
    public var followUp: FollowUp?

    /// Describes the checkpoint after a page.
    public init(
        entity: String, generation: Int64, pageNumber: Int, passKind: Checkpoint.PassKind,
        passStartedAt: Int64, passSince: String?, cursor: String?, syncToken: String?,
        partialWatermark: String?, isEnd: Bool, watermark: String?
    ) {
        self.entity = entity
        self.generation = generation
        self.pageNumber = pageNumber
        self.passKind = passKind
        self.passStartedAt = passStartedAt
        self.passSince = passSince
        self.cursor = cursor
        self.syncToken = syncToken
        self.partialWatermark = partialWatermark
        self.isEnd = isEnd
        self.watermark = watermark
    }

    /// Number of binds that `binds(for:)` gives: `$1` … `$22`.
    public static let bindCount = 22

    /// Calls `commit_page` with the binds of `binds(for:)`; `counters` is an expression of type
    /// `jobrunner.counters`.
    public static func call(counters: String) -> String {
        let page = (6...bindCount).map { "$\($0)" }.joined(separator: ", ")
        return """
            jobrunner.commit_page($1, $2, $3, $4, $5, row(\(page))::jobrunner.page, \(counters))
            """
    }

    /// The arguments of `commit_page` up to the counters, the page's own in the order of its type.
    public func binds(for claim: Claim) -> [Bind] {
        [
            .int8(claim.userID), .text(claim.name), .text(entity), .int8(claim.fence),
            .int8(generation),
            .int4(Int32(clamping: pageNumber)), .int4(Int32(clamping: pageCount)),
            .int4(Int32(clamping: passNumber)), .text(passKind.rawValue),
            .timestamptz(passStartedAt), .optional(passSince, Bind.text),
            .optional(cursor, Bind.text), .optional(syncToken, Bind.text),
            .optional(partialWatermark, Bind.text), .bool(isEnd), .optional(watermark, Bind.text),
            .bool(isWhole), .optional(validator, Bind.text), .optional(probe, Bind.text),
            .int4(Int32(clamping: fullRequest)), .optional(asked, Bind.int8),
            .int4(Int32(clamping: fullPage)),
        ]
    }
}
