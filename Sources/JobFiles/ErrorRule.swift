public import JSON

/// What an answer means that is no list, or says of itself that it is none: the first of an entity's rules that fits.
public struct ErrorRule: Sendable, Equatable {
    /// What follows from such an answer.
    public enum Then: String, Sendable, CaseIterable {
        /// The source has nothing of the entity for this user; what is here stays.
        case skip
        /// An empty list, as 204 is.
        case empty
        /// No more pages follow.
        case end
        /// The request is sent again, as after 5xx.
        case retry
        case fail
    }

    /// The statuses that it is for; none: those of `request.expect`.
    public var statuses: [Int] = []
    /// What the body must hold besides; nil means whatever it holds.
    public var body: BodyTest?
    /// What follows.
    public var then: Then
    /// Where the source says how many seconds it wants to be left alone; nil means where `retry.wait_from` says.
    public var waitAt: Path?
    /// Where the source says in words what is wrong; nil means nowhere.
    public var messageAt: Path?

    /// A rule for the statuses of a list.
    public init(
        statuses: [Int] = [], body: BodyTest? = nil, then: Then, waitAt: Path? = nil,
        messageAt: Path? = nil
    ) {
        self.statuses = statuses
        self.body = body
        self.then = then
        self.waitAt = waitAt
        self.messageAt = messageAt
    }
}

/// What an answer's body is compared with.
public struct BodyTest: Sendable, Equatable {
    /// How.
    public enum Comparison: String, Sendable, CaseIterable {
        case eq, ne, `in`
        case notIn = "not_in"
        /// Something is there that says something: not null, `false`, 0 or empty.
        case filled
        case contains
    }

    /// Where in the body the value stands.
    public var at: Path
    /// How it is compared.
    public var comparison: Comparison
    /// With what: a value, a list of them for `in` and `not_in`, a truth for `filled`, words for `contains`.
    public var value: JSONValue

    /// Describes a test.
    public init(at: Path, _ comparison: Comparison, _ value: JSONValue) {
        self.at = at
        self.comparison = comparison
        self.value = value
    }
}
