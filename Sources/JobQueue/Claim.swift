public import Postgres

/// The right to run a job, proven in every write: `(job, fence, nonce)` (invariant 2).
public struct Claim: Sendable, Hashable {
    /// Number of the user.
    public var userID: Int64
    /// Name of the job.
    public var name: String
    /// Rises with every claim; also the run's number.
    public var fence: Int64
    /// Sixteen bytes, drawn at the claim.
    public var nonce: [UInt8]

    /// Names a claim that `take_jobs` made.
    public init(userID: Int64, name: String, fence: Int64, nonce: [UInt8]) {
        self.userID = userID
        self.name = name
        self.fence = fence
        self.nonce = nonce
    }
}

extension Claim {
    /// The first statement of every transaction a run writes in (invariant 2).
    ///
    /// Its row says whether the run was asked to stop; SQLSTATE JR001 says that it is lost.
    public var holdStatement: Statement {
        Statement(
            "select jobrunner.hold_job($1, $2, $3, $4)", .int8(userID), .text(name), .int8(fence),
            .uuid(nonce))
    }
}
