public import JobFiles
public import Postgres
public import JobQueue

/// Deletes a user's rows that have become too old, and counts them in the checkpoint.
public struct Cleanup {
    private let entity: Entity
    private let column: String

    /// Rows of the entity's table are as old as their `column` says.
    public init(of entity: Entity, by column: String) {
        self.entity = entity
        self.column = column
    }

    /// Deletes rows from before a time, microseconds since 1970; it answers with how many.
    ///
    /// An unsent edit stays.
    public func statement(for claim: Claim, before time: Int64) -> Statement {
        Statement(
            "select jobrunner.delete_older($1, $2, $3, $4, $5, $6, $7) as rows",
            .int8(claim.userID), .text(claim.name), .text(entity.name), .int8(claim.fence),
            .text(entity.write.table), .text(column), .timestamptz(time))
    }
}
