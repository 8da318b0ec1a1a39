/// A local row that the source does not have as it is, as read for a push.
struct UnsentRow: Sendable {
    /// A value or null per field of the entity.
    var values: [FieldValue?]
    /// Tells whether the row was edited since it was read: its `xmin`, which every update changes.
    var version: String
    var recordName: String
    var changeTag: String?
    var isDeleted: Bool
    /// The source may have it, though we know of no tag: it was sent before.
    var wasSent = false
}
