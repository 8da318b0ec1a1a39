public import JSON
public import JobFiles
import JobQueue
public import Asking
import Reading

// How local rows reach CloudKit.
extension CloudKitDialect {
    /// A number or a JSON value that CloudKit has no form for.
    public func obstacle(to operation: PushOperation) -> String? { operation.obstacle }

    /// `records/modify`, where each operation stands or falls alone.
    public func pushRequest(
        _ operations: [PushOperation], to place: RecordPlace
    ) -> DialectRequest {
        let operations = operations.map { $0.body(recordType: place.recordType) }
        return request(
            "records/modify", in: place,
            [JSONMember("atomic", .bool(false)), JSONMember("operations", .array(operations))])
    }

    /// What became of each operation; results are found by their record's name, wherever they stand.
    ///
    /// Throws `RunEnd` malformed when one is missing or says neither what was saved nor why not.
    public func pushResults(
        _ document: JSONDocument, of operations: [PushOperation]
    ) throws -> [PushResult] {
        guard let records = document.root["records"], records.kind == .array else {
            throw malformed("the answer to a push has no array at records")
        }
        let results = Array(records.elements)
        var byName: [String: JSONNode] = [:]
        for result in results {
            if let name = result["recordName"]?.string { byName[name] = result }
        }
        return try operations.enumerated().map { index, operation in
            if let result = byName[operation.recordName] {
                return try outcome(result, of: operation)
            }
            // An error without a name: its place tells whose it is, if no result is missing.
            guard results.count == operations.count, results[index]["recordName"]?.string == nil
            else { throw malformed("a push has no result for record \(operation.recordName)") }
            return try outcome(results[index], of: operation)
        }
    }

    /// `records/lookup`.
    public func lookupRequest(_ names: [String], in place: RecordPlace) -> DialectRequest {
        let records = names.map { JSONValue.object([JSONMember("recordName", .string($0))]) }
        return request("records/lookup", in: place, [JSONMember("records", .array(records))])
    }

    /// The records by name, nil for those that are gone.
    ///
    /// One that could not be read for another reason is left out.
    public func lookedUp(_ document: JSONDocument) -> [String: JSONNode?] {
        guard let records = document.root["records"] else { return [:] }
        var found: [String: JSONNode?] = [:]
        for record in records.elements {
            guard let name = record["recordName"]?.string else { continue }
            if let error = ErrorDictionary(record) {
                if error.isMissing { found.updateValue(nil, forKey: name) }
            } else {
                let isDeleted = record["deleted"]?.bool == true
                found.updateValue(isDeleted ? nil : record, forKey: name)
            }
        }
        return found
    }

    /// `recordChangeTag`.
    public func changeTag(of record: JSONNode) -> String? { record["recordChangeTag"]?.string }

    /// A field that was never set is not in the record.
    public func number(_ field: String, of record: JSONNode) -> (number: Int64, tag: String)? {
        guard let tag = changeTag(of: record) else { return nil }
        guard let value = record["fields"]?[field]?["value"], value.kind != .null else {
            return (0, tag)
        }
        return Int64(value.numberText ?? "").map { ($0, tag) }
    }

    private func request(
        _ operation: String, in place: RecordPlace, _ members: [JSONMember]
    ) -> DialectRequest {
        let zone = JSONMember("zoneID", zoneID(place.zone, owner: place.owner))
        return DialectRequest(path: path(operation), body: .object([zone] + members))
    }

    private func outcome(_ result: JSONNode, of operation: PushOperation) throws -> PushResult {
        if let error = ErrorDictionary(result) { return outcome(error, of: operation) }
        let isDeleted = result["deleted"]?.bool == true
        if operation.isDeletion {
            if isDeleted { return .deleted }
        } else if !isDeleted, let tag = result["recordChangeTag"]?.string {
            return .saved(changeTag: tag, modifiedAt: modifiedAt(result))
        }
        throw malformed("a push has no clear result for record \(operation.recordName)")
    }

    private func outcome(_ error: ErrorDictionary, of operation: PushOperation) -> PushResult {
        if error.isConflict { return .conflict }
        if error.isMissing {
            // To a create or a force a missing record is no reason to delete the local row.
            switch operation.action {
            case .delete: return .deleted
            case .update: return .gone
            case .create, .force: break
            }
        }
        return .failed(error.recordFailure(name: operation.recordName))
    }

    /// The server's time of the change in microseconds; nil when it is missing or absurd.
    private func modifiedAt(_ record: JSONNode) -> Int64? {
        guard let node = record["modified"]?["timestamp"],
            let milliseconds = Int64(node.numberText ?? node.string ?? "")
        else { return nil }
        let (microseconds, isOverflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        return isOverflow ? nil : microseconds
    }

    private func malformed(_ message: String) -> RunEnd {
        .failed(kind: ErrorKind.malformed.rawValue, message: message)
    }
}
