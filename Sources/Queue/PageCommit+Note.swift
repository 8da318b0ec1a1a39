public import Postgres

extension PageCommit {
    /// What a page says of its pass besides its position; said seldom, so in a statement of its own.
    public enum Note: Sendable, Equatable {
        /// Whether the pass has shown nothing yet that could be read.
        case unreadable(Bool)
        /// Nothing of the pass could be read: the next one begins where this one did.
        case abandoned(syncToken: String?)
    }

    /// What follows the page's statement in its transaction; nil: nothing.
    public func noteStatement(for claim: Claim) -> Statement? {
        switch note {
        case nil: nil
        case .unreadable(let isUnreadable):
            Statement(
                "select jobrunner.note_unreadable($1, $2, $3, $4)", .int8(claim.userID),
                .text(claim.name), .text(entity), .bool(isUnreadable))
        case .abandoned(let token):
            Statement(
                "select jobrunner.abandon_pass($1, $2, $3, $4)", .int8(claim.userID),
                .text(claim.name), .text(entity), .optional(token, Bind.text))
        }
    }
}
