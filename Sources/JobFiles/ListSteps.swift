/// Lists of a user that are kept in one record of its own.
public struct StoredLists: Sendable, Equatable {
    /// A list and the field that holds its items.
    public struct Field: Sendable, Equatable {
        /// The field's name at the source.
        public var name: String
        /// The list in it.
        public var list: String
    }
    /// The type of the record.
    public var recordType: String
    /// The name of the record.
    public var recordName: Template
    /// What it holds, in file order.
    public var fields: [Field]
}

/// A number in the record of each item of a list, which goes up by one for each user that has had the item there.
public struct RaisedCounts: Sendable, Equatable {
    /// The list; its items are names of records.
    public var list: String
    /// The type of the records.
    public var recordType: String
    /// The field that holds the number.
    public var field: String
}
