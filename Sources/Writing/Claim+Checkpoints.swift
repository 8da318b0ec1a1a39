public import Postgres
public import JobQueue

extension Claim {
    /// Deletes checkpoints that no pass goes on from any more.
    public func forgetting(checkpoints entities: [String], keepsWaiting: Bool) -> Statement {
        Statement(
            "select jobrunner.forget_checkpoints($1, $2, $3, $4)", .int8(userID), .text(name),
            .textArray(entities), .bool(keepsWaiting))
    }
}
