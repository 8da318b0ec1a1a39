public import JSON
public import JobFile
public import Sync

/// Apple's CloudKit Web Services as a source: signing, errors inside answers, deleted records, zones,
/// accounts, pushes.
///
/// Section numbers in this room are those of the project's CloudKit reference.
public struct CloudKitDialect: SourceDialect {
    let place: CloudKitPlace
    let authentication: Authentication

    /// The path of an operation, such as `records/modify`.
    func path(_ operation: String) -> String { "\(place.path)/\(operation)" }
}

/// The dialect of a source that has the preset; nil: the source has none.
public func cloudKitDialect(for source: Source) -> (any SourceDialect)? {
    switch source.preset {
    case .cloudkit(let place): CloudKitDialect(place: place, authentication: source.auth)
    case nil: nil
    }
}

extension CloudKitDialect {
    /// What an element of a page is: a record, a deletion, an error in place of one (ST16), or of a
    /// type that is not asked for, since a change feed shows all types of its zone (PO7).
    public func kind(of record: JSONNode, in entity: Entity) -> RecordKind {
        if let error = ErrorDictionary(record) { return .failure(error.recordFailure()) }
        if record["deleted"]?.bool == true {
            guard let name = record["recordName"]?.string else {
                let reason = "a deleted record without a name"
                return .failure(
                    RecordFailure(code: "MALFORMED", reason: reason, record: "", wait: nil))
            }
            return .tombstone(name: name)
        }
        if let type = record["recordType"]?.string, let types = entity.cloudkit?.recordTypes,
            !types.contains(type)
        {
            return .foreign(type: type)
        }
        return .record
    }
}

extension CloudKitOperation {
    /// The record types that are asked for.
    var recordTypes: [String] {
        switch self {
        case .query(let query): [query.type]
        case .zoneChanges(_, let types): types
        }
    }

    /// The zone that is read, and so the one that is written.
    var zone: String {
        switch self {
        case .query: defaultZone
        case .zoneChanges(let zone, _): zone
        }
    }
}

/// The zone that every database has; the public one has no other.
let defaultZone = "_defaultZone"

/// A zone by its name; the owner is whoever asks.
func zoneID(_ zone: String) -> JSONValue {
    .object([JSONMember("zoneName", .string(zone))])
}
