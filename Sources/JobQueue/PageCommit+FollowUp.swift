public import Postgres

extension PageCommit {
    /// What follows the page's statement in its transaction; nil: nothing.
    public func followUpStatement(for claim: Claim) -> Statement? {
        switch followUp {
        case nil: nil
        case .endUnproven:
            Statement(
                "select jobrunner.store_unproven_end($1, $2, $3)", .int8(claim.userID),
                .text(claim.name), .text(entity))
        case .abandoned(let token):
            Statement(
                "select jobrunner.abandon_pass($1, $2, $3, $4)", .int8(claim.userID),
                .text(claim.name), .text(entity), .optional(token, Bind.text))
        }
    }
}
