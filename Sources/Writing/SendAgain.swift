public import JobFiles
public import JobQueue
public import Postgres

extension Entity {
    /// Makes all rows of the claim's user unsent, for the source has lost them: a call of `send_again`.
    public func sendAgainStatement(for claim: Claim) -> Statement {
        Statement(
            "select jobrunner.send_again($1, $2, $3)", .int8(claim.userID), .text(write.table),
            .optional(changeTagColumn, Bind.text))
    }
}
