/// A secret that a record brings, in clear: sealed and stored with its page, and shown by nothing.
public struct BroughtValue: Sendable, Equatable {
    /// The secret's name.
    public var name: String
    /// What it is.
    public var bytes: [UInt8]
    /// When the record was changed, microseconds since 1970; nil when it does not say.
    public var changedAt: Int64?

    /// A record that was changed later, or as late and comes later, takes the place of this one.
    func gives(wayTo other: BroughtValue) -> Bool {
        (other.changedAt ?? .min) >= (changedAt ?? .min)
    }
}

extension BroughtValue: CustomStringConvertible, CustomReflectable {
    /// Tells nothing of the value.
    public var description: String { "BroughtValue(\(name))" }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
