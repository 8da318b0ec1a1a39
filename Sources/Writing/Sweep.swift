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
            "select * from jobrunner.sweep_table($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            .int8(claim.userID), .text(claim.name), .text(entity.name),
            .int4(Int32(clamping: commit.passNumber)), .text(entity.write.table),
            .textArray(entity.records.key), .optional(entity.changeTagColumn, Bind.text),
            .bool(entity.push != nil), .bool(isRepair),
            .optional(entity.write.deletes?.maxFraction, Bind.double),
            .bool(entity.page.isFeed && entity.incremental?.fullEvery == nil),
            .bool(entity.write.deletes?.confirmation != nil && !isRepair))
    }
}
