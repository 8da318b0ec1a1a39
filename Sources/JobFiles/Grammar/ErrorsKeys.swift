/// The keys of an element of `errors`.
enum ErrorsKey: String, KeySet {
    case at
    case mustBe = "must_be"
    case waitAt = "wait_at"
    case messageAt = "message_at"

    static let title = "errors"
    static let meaning = "A sign by which an answer of a good status is known as a failure."

    var key: KeyFacts {
        switch self {
        case .at:
            KeyFacts(
                .formed(.innerPath), .required,
                "Where in the body the sign stands. Without `must_be` it is a failure when a value is there "
                    + "that says something: not null, `false`, 0 or empty.")
        case .mustBe:
            KeyFacts(
                .any("a value or a list of values"), .optional(nil),
                "What must stand there. Anything else is a failure, and so is nothing.")
        case .waitAt:
            KeyFacts(
                .formed(.innerPath), .optional(nil),
                "Where the source says how many seconds it wants to be left alone. With such a wait the run "
                    + "is put off and counts no failure.")
        case .messageAt:
            KeyFacts(
                .formed(.innerPath), .optional(nil),
                "Where the source says in words what is wrong.")
        }
    }
}
