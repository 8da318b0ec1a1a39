import JSON
import JobFiles
public import JobQueue
public import Postgres

/// What readers are told of one entity in a run, as statements of the transaction that it tells of.
public struct ToldEvents: Sendable {
    private let claim: Claim
    private let entity: String

    /// Tells of an entity in the claim's run.
    public init(of entity: String, for claim: Claim) {
        self.claim = claim
        self.entity = entity
    }

    /// The run's first rows of a pass have come: `first`, `full`, `incremental` or `repair`.
    public func passBegan(_ pass: String) -> Statement { told(pass, "pass_began") }

    /// The pass was read to its end.
    public func passEnded(_ pass: String) -> Statement { told(pass, "pass_ended") }

    private func told(_ pass: String, _ kind: String) -> Statement {
        statement(kind, [.object([JSONMember("pass", .string(pass))])])
    }

    /// A zone of the source was made anew.
    public func zoneMade(_ zone: String) -> Statement {
        statement("zone_made", [.object([JSONMember("zone", .string(zone))])])
    }

    /// The version here of these records stays, and another one gave way to it.
    public func conflictsWon(_ records: [String]) -> Statement {
        Statement(
            "select jobrunner.tell_conflicts($1, $2, $3, $4, $5, 'ours')", .int8(claim.userID),
            .text(claim.name), .int8(claim.fence), .text(entity), .textArray(records))
    }

    /// Rows of a table that are one, before they are made one; `keys` as for `merge_duplicates`.
    public func duplicatesFound(in table: String, keys: Bind) -> Statement {
        Statement(
            "select jobrunner.tell_duplicates($1, $2, $3, $4, $5, $6)", .int8(claim.userID),
            .text(claim.name), .int8(claim.fence), .text(entity), .text(table), keys)
    }

    private func statement(_ kind: String, _ details: [JSONValue]) -> Statement {
        Statement(
            "select jobrunner.tell_of_run($1, $2, $3, $4, $5, $6)", .int8(claim.userID),
            .text(claim.name), .int8(claim.fence), .text(kind), .text(entity),
            .json(JSONValue.array(details).text))
    }
}
