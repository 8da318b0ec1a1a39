/// The keys of an element of `recover`.
enum RecoverKey: String, KeySet {
    case name
    case failure = "if"
    case steps = "do"
    case then, times

    static let title = "recover"
    static let meaning = "A declared failure and its cure."

    var key: KeyFacts {
        switch self {
        case .name:
            KeyFacts(
                .name, .required,
                "The name of the recovery, unique in the entity, and the error's word when it is spent."
            )
        case .failure:
            KeyFacts(
                .mapping(FailureKey.self), .required,
                "What means the failure; any of its keys is enough.")
        case .steps:
            KeyFacts(
                .list(.formed(.recoveryStep)), .optional(nil),
                "The cures in order. A call whose list is empty makes recovery impossible. `forget_token` "
                    + "drops the position that outlives passes. `cloudkit.create_zone` makes the zone of the "
                    + "entity; one that was read before was deleted by its user, and only a repair makes it again."
            )
        case .then:
            KeyFacts(
                .words(of: Recovery.Then.self, "end"), .required,
                "What follows the cures. `end_pass`, for styles `offset` and `page`, means that no more pages "
                    + "follow; it ends no pass at its first page, and comes without `do`.")
        case .times:
            KeyFacts(
                .integer(1...10), .required,
                "How often at most: for each page, with `full_pass` for each run.")
        }
    }
}

/// The keys of `recover.if`.
enum FailureKey: String, KeySet {
    case status, code
    case reasonHas = "reason_has"

    static let statuses = 400...599
    /// They park the job, which nothing but a new secret cures.
    static let parkingStatuses = [401, 421]
    static let parkingCodes = ["AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED"]

    static let title = "failure"
    static let meaning = "What means a failure; any of the keys is enough."
    static let rules: [KeyRule] = [.atLeastOneKey]

    var key: KeyFacts {
        switch self {
        case .status:
            KeyFacts(
                .oneOrMore(.integer(Self.statuses, except: Self.parkingStatuses)), .optional(nil),
                "The status of the answer, but not 401 and 421, which park the job.")
        case .code:
            KeyFacts(
                .oneOrMore(.formed(.errorCode)), .optional(nil),
                "The source's own code, whatever the status. It needs a preset.")
        case .reasonHas:
            KeyFacts(
                .oneOrMore(.formed(.notEmpty)), .optional(nil),
                "Words in the source's reason, whatever the code. They need a preset.")
        }
    }
}
