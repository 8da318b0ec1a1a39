/// Which records of a feed become rows.
public enum RecordTypes: Sendable, Equatable {
    case only([String])
    /// All others, those that nobody knows yet among them.
    case except([String])

    /// Whether records of a type do.
    public func contains(_ type: String) -> Bool {
        switch self {
        case .only(let types): types.contains(type)
        case .except(let types): !types.contains(type)
        }
    }

    /// Their names, where these are known.
    var names: [String] { if case .only(let types) = self { types } else { [] } }
}

/// What a CloudKit entity reads.
public enum CloudKitOperation: Sendable, Equatable {
    case query(CloudKitQuery)
    /// The change feed of a zone; records of other types are ignored.
    ///
    /// `owner`: who shares the zone, in a shared database.
    case zoneChanges(zone: String, owner: Template? = nil, recordTypes: RecordTypes)
    /// The records of one entity of Core Data, or SwiftData, in the zone where it mirrors a store.
    case coreData(entity: String)
}

/// A query over records of one type.
public struct CloudKitQuery: Sendable, Equatable {
    /// A field of the record, or one of its system fields.
    public enum Name: Sendable, Equatable {
        case field(String)
        case system(String)
    }
    /// One filter.
    public struct Filter: Sendable, Equatable {
        /// What is compared.
        public var name: Name
        /// CloudKit's word, such as `EQUALS`.
        public var comparator: String
        /// With what.
        public var value: BodyTemplate
    }
    /// One order.
    public struct Sort: Sendable, Equatable {
        /// What is compared.
        public var name: Name
        /// Smallest first.
        public var isAscending: Bool
    }
    /// The record type.
    public var type: String
    /// What an incremental pass compares with `{since}`: name and comparator; nil when passes are full.
    public var since: Since?
    /// All must hold.
    public var filters: [Filter]
    /// The order; by `since` when the file names none, so that a pass can go on from what it saw.
    public var sort: [Sort]

    /// How `{since}` restricts an incremental pass.
    public struct Since: Sendable, Equatable {
        /// What is compared.
        public var name: Name
        /// `GREATER_THAN` or `GREATER_THAN_OR_EQUALS`.
        public var comparator: String
    }
}
