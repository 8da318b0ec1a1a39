public import Reading

/// A local row that the source does not have as it is, as read for a push.
public struct UnsentRow: Sendable {
    /// A value or null per field of the entity.
    public var values: [FieldValue?]
    /// Tells whether the row was edited since it was read: its `xmin`, which every update changes.
    public var version: String
    /// The record's name; filled in by who reads the row.
    public var recordName: String
    /// The record's change tag as we know it.
    public var changeTag: String?
    /// It is to be deleted at the source.
    public var isDeleted: Bool
    /// The source may have it, though we know of no tag: it was sent before.
    public var wasSent = false
}
