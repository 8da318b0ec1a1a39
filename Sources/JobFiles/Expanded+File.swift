import JSON

/// The parts of a file around its entities, as a job file writes them.
extension AfterStep {
    var expanded: JSONValue {
        let onlyIf = JSONValue.string(onlyIf.rawValue)
        switch action {
        case .call(let call): return .members(("call", .string(call)), ("only_if", onlyIf))
        case .cleanup(let table, let by, let age):
            let cleanup = JSONValue.members(
                ("table", .string(table)), ("older_than", .span(age)), ("by", .string(by)))
            return .members(("cleanup", cleanup), ("only_if", onlyIf))
        case .storeLists(let step):
            return .members(("store_lists", step.expanded), ("only_if", onlyIf))
        case .raiseCounts(let step):
            return .members(("raise_counts", step.expanded), ("only_if", onlyIf))
        }
    }
}

extension StoredLists {
    fileprivate var expanded: JSONValue {
        .members(
            ("record_type", .string(recordType)), ("record_name", .text(recordName)),
            ("lists", .named(fields.map { ($0.name, .string($0.list)) })))
    }
}

extension RaisedCounts {
    fileprivate var expanded: JSONValue {
        .members(
            ("list", .string(list)), ("record_type", .string(recordType)),
            ("field", .string(field)))
    }
}

extension HealthCheck {
    var expanded: JSONValue {
        .members(
            ("table", .string(table)), ("by", .texts(by)))
    }
}
