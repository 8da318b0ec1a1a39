public import JSON
public import JobFiles
public import Reading

// What the elements of a page are.
extension CloudKitDialect {
    /// What an element of a page is: a record, a deletion, an error in place of one, or of a
    /// type that is not asked for, since a change feed shows all types of its zone.
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
