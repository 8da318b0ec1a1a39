public import JobFiles
public import Reading

/// One row on its way to the source.
public struct PushOperation: Sendable, Equatable {
    /// What is to happen.
    public enum Action: Sendable, Equatable {
        /// There is no such record yet, as far as we know.
        case create
        /// The record with this change tag is replaced in the fields that are named.
        case update(changeTag: String)
        /// Whatever is there is overwritten in the fields that are named.
        case force
        /// The record with this change tag is deleted; nil means whatever it holds. One that is gone already counts as
        /// deleted.
        case delete(changeTag: String?)
    }
    /// What is to happen.
    public var action: Action
    /// The record is to go.
    public var isDeletion: Bool { if case .delete = action { true } else { false } }
    /// Name of the record.
    public var recordName: String
    /// Its fields; none for a deletion.
    public var fields: [PushField]

    /// Describes what is to happen to a record.
    public init(action: Action, recordName: String, fields: [PushField]) {
        self.action = action
        self.recordName = recordName
        self.fields = fields
    }
}

/// One field of a row on its way to the source.
public struct PushField: Sendable, Equatable {
    /// The field's name at the source.
    public var name: String
    /// Its type.
    public var kind: Field.Kind
    /// Its value; nil clears it.
    public var value: FieldValue?

    /// Describes a field of a record.
    public init(name: String, kind: Field.Kind, value: FieldValue?) {
        self.name = name
        self.kind = kind
        self.value = value
    }
}

/// What became of one operation.
public enum PushResult: Sendable, Equatable {
    /// The record now has this tag; `modifiedAt` in microseconds since 1970 when the source tells it.
    case saved(changeTag: String, modifiedAt: Int64?)
    case deleted
    /// Another version, or a record where none was expected.
    case conflict
    /// No such record: deleted elsewhere.
    case gone
    case failed(RecordFailure)
}
