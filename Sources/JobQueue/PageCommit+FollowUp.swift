public import Postgres

extension PageCommit {
    /// What follows the page's statement in its transaction.
    public func followUpStatements(for claim: Claim) -> [Statement] {
        followUps.map { followUp in
            switch followUp {
            case .trouble(let kind, let trouble):
                setTrouble(kind, trouble, for: claim)
            case .troubleEnded(let kind):
                setTrouble(kind, nil, for: claim)
            case .abandoned(let token):
                Statement(
                    "select jobrunner.abandon_pass($1, $2, $3, $4)", .int8(claim.userID),
                    .text(claim.name), .text(entity), .optional(token, Bind.text))
            }
        }
    }

    private func setTrouble(
        _ kind: StandingTrouble.Kind, _ trouble: StandingTrouble?, for claim: Claim
    ) -> Statement {
        Statement(
            "select jobrunner.set_trouble($1, $2, $3, $4, $5, $6)", .int8(claim.userID),
            .text(claim.name), .text(entity), .text(kind.rawValue),
            .optional(trouble?.error, Bind.text), .optional(trouble?.declaration, Bind.int8))
    }
}
