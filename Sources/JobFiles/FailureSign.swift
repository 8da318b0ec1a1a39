public import JSON

/// A sign inside an answer that looks good by its status: the source says there that it failed.
public struct FailureSign: Sendable, Equatable {
    /// Where in the body it stands.
    public var at: Path
    /// What must stand there, one of these, for the answer to be good; nil when there is nothing that says something.
    public var mustBe: [JSONValue]?
    /// Where the source says how many seconds it wants to be left alone; nil means nowhere.
    public var waitAt: Path?
    /// Where the source says in words what is wrong; nil means nowhere.
    public var messageAt: Path?

    /// A sign at a place; without more it is whatever stands there and says something.
    public init(
        at: Path, mustBe: [JSONValue]? = nil, waitAt: Path? = nil, messageAt: Path? = nil
    ) {
        self.at = at
        self.mustBe = mustBe
        self.waitAt = waitAt
        self.messageAt = messageAt
    }
}
