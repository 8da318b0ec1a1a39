public import Postgres

extension PageCommit {
    /// What follows the page's statement in its transaction.
    public func followUpStatements(for claim: Claim) -> [Statement] {
        followUps.map { $0.statement(for: claim, of: entity) }
    }
}

extension PageCommit.FollowUp {
    /// What says so of an entity.
    public func statement(for claim: Claim, of entity: String) -> Statement {
        switch self {
        case .trouble(let kind, let trouble):
            setTrouble(kind, trouble, claim, entity)
        case .troubleEnded(let kind):
            setTrouble(kind, nil, claim, entity)
        case .abandoned(let token):
            Statement(
                "select jobrunner.abandon_pass($1, $2, $3, $4)", .int8(claim.userID),
                .text(claim.name), .text(entity), .optional(token, Bind.text))
        }
    }

    private func setTrouble(
        _ kind: StandingTrouble.Kind, _ trouble: StandingTrouble?, _ claim: Claim, _ entity: String
    ) -> Statement {
        Statement(
            "select jobrunner.set_trouble($1, $2, $3, $4, $5, $6)", .int8(claim.userID),
            .text(claim.name), .text(entity), .text(kind.rawValue),
            .optional(trouble?.error, Bind.text), .optional(trouble?.declaration, Bind.int8))
    }
}
