public import Postgres

/// A call that succeeded and is to be remembered with the run's next commit.
public struct PendingCall: Sendable, Equatable {
    /// Name of the call.
    public var call: String
    /// Hash of the list it sent, when it sent one.
    public var listHash: String?

    /// Describes a call's success.
    public init(call: String, listHash: String?) {
        self.call = call
        self.listHash = listHash
    }

    /// Remembers the call, after `holdStatement` in the same transaction.
    public func statement(for claim: Claim) -> Statement {
        Statement(
            "select jobrunner.record_call($1, $2, $3, $4)", .int8(claim.userID), .text(claim.name),
            .text(call), .optional(listHash, Bind.text))
    }
}
