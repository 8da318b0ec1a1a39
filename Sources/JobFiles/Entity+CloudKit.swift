/// What a dialect and the engine ask of an entity.
extension Entity {
    /// The column that holds the record's name, by which tombstones find a row; nil when none does.
    public var recordNameColumn: String? { column(ofMeta: "recordName") }

    /// The column that holds the record's change tag; nil when none does.
    public var changeTagColumn: String? { column(ofMeta: "recordChangeTag") }

    /// The fields a push sends: the record's own, neither its system values nor the whole of it.
    ///
    /// A value inside a field is left out, since the rest of that field is not known.
    public var pushedFields: [Field] {
        records.fields.filter { field in
            guard field.meta == nil, !field.at.steps.isEmpty else { return false }
            return field.form != .cloudkit || field.sourceName != nil
        }
    }

    /// The zone that is read and pushed to; nil without a preset's operation.
    public var zone: String? {
        cloudkit.map { $0.feed?.zone ?? RecordPlace.defaultZone }
    }

    /// Where its rows are pushed to; `owner` is what `zoneOwner` stands for.
    public func recordPlace(owner: String? = nil) -> RecordPlace {
        RecordPlace(
            zone: zone ?? RecordPlace.defaultZone, owner: owner, recordType: push?.recordType)
    }

    /// Who shares the zone that is read and pushed to; nil when it is the user's own.
    public var zoneOwner: Template? {
        if case .zoneChanges(_, let owner, _)? = cloudkit { owner } else { nil }
    }

    /// The record types that become rows, as far as they are named; others are foreign.
    ///
    /// Empty without a preset's operation.
    public var recordTypes: [String] {
        cloudkit?.recordTypes.names ?? []
    }

    /// Records come as a change feed, with tombstones and a token that outlives the pass.
    public var isChangeFeed: Bool { cloudkit?.feed != nil }

    private func column(ofMeta meta: String) -> String? {
        records.fields.first { $0.meta == meta }?.name
    }
}

/// Where records of one type lie.
public struct RecordPlace: Sendable, Equatable {
    /// The zone that every database has; the public one has no other.
    public static let defaultZone = "_defaultZone"
    /// Their zone.
    public var zone: String
    /// The record name of who shares the zone; nil means whoever asks owns it.
    public var owner: String?
    /// Their type; nil when a request need not name it.
    public var recordType: String?

    /// Names a place.
    public init(zone: String = Self.defaultZone, owner: String? = nil, recordType: String?) {
        self.zone = zone
        self.owner = owner
        self.recordType = recordType
    }
}

extension CloudKitOperation {
    /// Where Core Data mirrors a store.
    private static let coreDataZone = "com.apple.coredata.cloudkit.zone"
    /// What stands before Core Data's own names of record types and fields.
    static let coreDataPrefix = "CD_"

    /// The change feed that is read, and the record types that are taken of it; nil when it is a query.
    public var feed: (zone: String, recordTypes: RecordTypes)? {
        switch self {
        case .query: nil
        case .zoneChanges(let zone, _, let types): (zone, types)
        case .coreData(let entity):
            (Self.coreDataZone, .only([Self.coreDataPrefix + entity]))
        }
    }

    /// The record types that become rows.
    public var recordTypes: RecordTypes {
        if case .query(let query) = self {
            .only([query.type])
        } else {
            feed?.recordTypes ?? .only([])
        }
    }

    /// What stands before a field's name in a record.
    var fieldPrefix: String {
        if case .coreData = self { Self.coreDataPrefix } else { "" }
    }

    /// A field that every record has, with the same value in each: Core Data looks for the entity there.
    public var constantField: (name: String, value: String)? {
        guard case .coreData(let entity) = self else { return nil }
        return (Self.coreDataPrefix + "entityName", entity)
    }
}

extension Field {
    /// The record's field this column is the whole value of; nil for all else.
    public var sourceName: String? {
        guard form == .cloudkit, meta == nil, at.steps.count == 3,
            case .member(let name) = at.steps[1]
        else { return nil }
        return name
    }
}

extension Source {
    /// The CloudKit database it stands for; nil without that preset.
    public var cloudkitAddress: CloudKitAddress? {
        switch preset {
        case .cloudkit(let address): address
        case nil: nil
        }
    }
}
