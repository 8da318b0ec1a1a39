/// What a dialect and the engine ask of an entity.
extension Entity {
    /// The column that holds the record's name, by which tombstones find a row; nil: none does.
    public var recordNameColumn: String? { column(ofMeta: "recordName") }

    /// The column that holds the record's change tag; nil: none does.
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
        switch cloudkit {
        case .zoneChanges(let zone, _): zone
        case .query: "_defaultZone"
        case nil: nil
        }
    }

    /// The record types that become rows; others are foreign.
    ///
    /// Empty without a preset's operation.
    public var recordTypes: [String] {
        switch cloudkit {
        case .zoneChanges(_, let types): types
        case .query(let query): [query.type]
        case nil: []
        }
    }

    /// Records come as a change feed, with tombstones and a token that outlives the pass.
    public var isChangeFeed: Bool {
        if case .zoneChanges = cloudkit { true } else { false }
    }

    private func column(ofMeta meta: String) -> String? {
        records.fields.first { $0.meta == meta }?.name
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
