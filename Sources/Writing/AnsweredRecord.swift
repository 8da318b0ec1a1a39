public import Reading

/// What the source has of a row that it has taken.
public struct AnsweredRecord: Sendable {
    /// The record's change tag.
    public var tag: String
    /// When it was changed by the source's clock, microseconds since 1970; nil when it does not say.
    public var modifiedAt: Int64?
    /// What each field's column is to be, unless it was edited while the row was sent.
    public var values: [FieldValue?]

    /// A record with this tag, whose values are the row's from now on.
    public init(tag: String, modifiedAt: Int64?, _ values: [FieldValue?]) {
        self.tag = tag
        self.modifiedAt = modifiedAt
        self.values = values
    }
}

/// How long a refused row waits before it is sent again as it is.
public enum PushPause: Sendable, Equatable {
    /// Until the next push.
    case none
    /// A minute, then twice as long each time, up to a day: in a batch the row costs it requests.
    case growing
    /// As long as the source has asked for it.
    case until(Duration)
}
