public import JobFiles
import Postgres
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
    /// Fields of which the source has a value that could not be read.
    public var unreadFields: Set<String> = []
    /// Why the row can't be sent as it is; nil when nothing is known against it.
    public var obstacle: String?
    /// The source may have it, though we know of no tag: it was sent before.
    public var wasSent = false

    /// A push leaves the field out, so that the source keeps what it has.
    public func leavesOut(_ field: Field, at index: Int) -> Bool {
        // Of most rows everything was read.
        !unreadFields.isEmpty && (isUnread(field, at: index) || isUneditedAsset(field, at: index))
    }

    /// The column's null or default stands for a value that nobody could read, which it would overwrite at
    /// the source.
    public func isUnread(_ field: Field, at index: Int) -> Bool {
        unreadFields.contains(field.name)
            && (values[index]?.standsIn(for: field) ?? true)
    }

    /// The source keeps the field's text as an asset, as far as we know.
    public func hasAsset(_ field: Field) -> Bool {
        !unreadFields.isEmpty && unreadFields.contains { $0.hasPrefix("\(field.name)#") }
    }

    /// The source keeps the very text as an asset; a record that is to be made anew has none.
    private func isUneditedAsset(_ field: Field, at index: Int) -> Bool {
        guard changeTag != nil, case .text(let text)? = values[index] else { return false }
        return unreadFields.contains(assetMark(field.name, text))
    }

    /// What holds of the row's unread fields once a push has left them out.
    func stillUnread(_ field: Field, at index: Int) -> [String] {
        guard leavesOut(field, at: index) else { return [] }
        return unreadFields.filter { $0 == field.name || $0.hasPrefix("\(field.name)#") }.sorted()
    }
}

/// A record as the source has it, looked up for a row that met another version of it.
public struct RemoteRecord: Sendable {
    /// A value or null per field of the entity.
    public var values: [FieldValue?]
    /// Which of them could not be read, as an array's text; nil when all were.
    public var unreadFields: String?

    /// A record of which every value could be read.
    public init(_ values: [FieldValue?]) { self.values = values }

    /// The only record of a batch; nil when it could not be read.
    public init?(_ batch: RecordBatch) {
        guard let row = batch.indexes(of: .write).first else { return nil }
        values = batch.rows[0]
        unreadFields = batch.unreadFields?.text(at: row)
    }

    /// The record has a value for the field, and nobody could read it.
    public func hasUnread(_ field: String) -> Bool {
        guard let names = unreadFields?.dropFirst().dropLast() else { return false }
        return names.split(separator: ",").contains { $0 == field }
    }
}
