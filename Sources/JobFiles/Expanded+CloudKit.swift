import JSON

/// A preset's operation and a push as a job file writes them.
extension CloudKitOperation {
    var expanded: JSONValue {
        switch self {
        case .query(let query): query.expanded(op: name)
        case .zoneChanges(let zone, let owner, let types):
            .members(
                ("op", .string(name)), ("zone", .string(zone)), ("owner", owner.map { .text($0) }),
                types.expanded)
        case .coreData(let entity):
            .members(("op", .string(name)), ("entity", .string(entity)))
        }
    }
}

extension RecordTypes {
    fileprivate var expanded: (String, JSONValue?) {
        switch self {
        case .only(let types): ("record_types", .texts(types))
        case .except(let types): ("record_types_except", .texts(types))
        }
    }
}

extension CloudKitQuery {
    fileprivate func expanded(op: String) -> JSONValue {
        .members(
            ("op", .string(op)), ("type", .string(type)),
            ("where", .filled(filters.map(\.expanded))), ("since", since?.expanded),
            ("sort", .filled(sort.map(\.expanded))))
    }
}

extension CloudKitQuery.Filter {
    fileprivate var expanded: JSONValue {
        .members(
            name.expanded, ("op", .string(comparisonWord(comparator))), ("value", value.expanded))
    }
}

extension CloudKitQuery.Since {
    fileprivate var expanded: JSONValue {
        .members(name.expanded, ("op", .string(comparisonWord(comparator))))
    }
}

extension CloudKitQuery.Sort {
    var expanded: JSONValue {
        .members(name.expanded, ("order", .string(isAscending ? "asc" : "desc")))
    }
}

extension CloudKitQuery.Name {
    fileprivate var expanded: (String, JSONValue?) {
        switch self {
        case .field(let name): ("field", .string(name))
        case .system(let name): ("system", .string(name))
        }
    }
}

private func comparisonWord(_ comparator: String) -> String {
    FilterKey.comparators.first { $0.value == comparator }?.key ?? comparator
}

extension Push {
    /// `prefix`: what stands before the record type at the source, and not in the file.
    func expanded(prefix: String) -> JSONValue {
        .members(
            ("deletes", sendsDeletes ? .bool(true) : nil), ("batch", .integer(batch)),
            ("record_type", .string(String(recordType.dropFirst(prefix.count)))),
            ("record_name", .text(recordName)), ("operation", .string(operation.rawValue)),
            (
                "on_conflict",
                .members(
                    ("resolve", .string(resolution.rawValue)),
                    ("times", .integer(conflictRounds)))
            ),
            ("debounce", debounce.map { .span($0) }))
    }
}
