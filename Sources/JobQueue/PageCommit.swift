public import Basics
import JSON
public import Postgres

/// Where a page leaves its entity, for `commit_page`.
public struct PageCommit: Positioned, Sendable, Equatable {
    /// What a page says of its pass besides its position; said seldom, so in a statement of its own.
    public enum FollowUp: Sendable, Equatable {
        /// Something waits for a person from now on, or under another declaration.
        case trouble(StandingTrouble.Kind, StandingTrouble)
        /// It does not any more.
        case troubleEnded(StandingTrouble.Kind)
        /// Nothing of the pass could be read: the next one begins where this one did.
        case abandoned(syncToken: String?)
    }

    /// Name of the entity.
    public var entity: String
    /// Where its pass stands after the page.
    @Boxed public var position: PassPosition
    /// The page is the pass's last.
    public var isEnd: Bool
    /// Pages it covers, the last of them the position's: those before changed nothing.
    public var pageCount = 1
    /// What else it says of its pass.
    public var followUps: [FollowUp] = []

    /// Describes the checkpoint after a page.
    public init(entity: String, _ position: PassPosition, isEnd: Bool) {
        self.entity = entity
        self.position = position
        self.isEnd = isEnd
    }

    /// Number of binds that `binds(for:)` gives: `$1` … `$7`.
    public static let bindCount = 7
    /// The number of its pass, as an expression of its binds.
    public static let passNumber = "($5 ->> 'pass_number')::integer"
    /// The number of the page.
    public static let pageNumber = "($5 ->> 'page_number')::integer"
    /// The pages that it covers.
    public static let pageCount = "$6"

    /// Calls `commit_page` with the binds of `binds(for:)`; `counters` is an expression of type
    /// `jobrunner.counters`.
    public static func call(counters: String) -> String {
        "jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, \(counters))"
    }

    /// The arguments of `commit_page` up to the counters.
    public func binds(for claim: Claim) -> [Bind] {
        [
            .int8(claim.userID), .text(claim.name), .text(entity), .int8(claim.fence),
            .json(position.json.text), .int4(Int32(clamping: pageCount)), .bool(isEnd),
        ]
    }
}
