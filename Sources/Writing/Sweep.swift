public import JobFiles
import Postgres
import JobQueue

/// Deletes what a full pass, read to its end, did not show (invariant 6): a call of `sweep_table`.
public struct Sweep: Sendable {
    private let entity: Entity
    private let isRepair: Bool

    /// Sweeps the entity's table; a repair has the rows sent anew instead of deleting them (LU22).
    public init(_ entity: Entity, isRepair: Bool) {
        self.entity = entity
        self.isRepair = isRepair
    }

    /// Of the user's rows, the fraction that may go at once.
    private var maxFraction: Double {
        entity.write.mode == .replaceAll ? 1 : entity.write.deletes?.maxFraction ?? 0.2
    }

    func statement(for claim: Claim) -> Statement {
        Statement(
            "select * from jobrunner.sweep_table($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            .int8(claim.userID), .text(claim.name), .text(entity.name), .text(entity.write.table),
            .textArray(entity.records.key), .optional(entity.changeTagColumn, Bind.text),
            .bool(entity.push != nil), .bool(isRepair), .double(maxFraction))
    }
}
