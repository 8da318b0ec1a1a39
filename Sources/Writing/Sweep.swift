import JSON
public import JobFiles
import Postgres
import JobQueue

/// Deletes what two full passes in a row, read to their ends, did not show (invariant 6): a call of `sweep_table`.
public struct Sweep: Sendable {
    private let entity: Entity
    private let isRepair: Bool

    /// Sweeps the entity's table; a repair has the rows sent anew instead of deleting them.
    public init(_ entity: Entity, isRepair: Bool) {
        self.entity = entity
        self.isRepair = isRepair
    }

    func statement(_ commit: PageCommit, for claim: Claim) -> Statement {
        Statement(
            "select * from jobrunner.sweep_table($1, $2, $3, $4, $5)", .int8(claim.userID),
            .text(claim.name), .text(entity.name), .int4(Int32(clamping: commit.passNumber)),
            .json(rules.text))
    }

    /// What the entity's declaration says of its sweep.
    private var rules: JSONValue {
        let deletes = entity.write.deletes
        return .object([
            JSONMember("table", .string(entity.write.table)),
            JSONMember("key", .array(entity.records.key.map(JSONValue.string))),
            JSONMember("identity", .array(entity.identity.map(JSONValue.string))),
            JSONMember("change_tag", entity.changeTagColumn.map(JSONValue.string) ?? .null),
            JSONMember("is_pushed", .bool(entity.push != nil)),
            JSONMember("is_repair", .bool(isRepair)),
            JSONMember("max_fraction", deletes?.maxFraction.map { .number("\($0)") } ?? .null),
            JSONMember(
                "asks_again", .bool(entity.page.isFeed && entity.incremental?.fullEvery == nil)),
            JSONMember("confirms", .bool(deletes?.confirmation != nil && !isRepair)),
            JSONMember("declaration", .integer(entity.declaration)),
        ])
    }
}
