import JSON

/// A preset's operation and a push as a job file writes them.
extension CloudKitOperation {
    var expanded: JSONValue {
        switch self {
        case .query(let query): query.expanded(op: name)
        case .zoneChanges(let zone, let types):
            .members(
                ("op", .string(name)), ("zone", .string(zone)), ("record_types", .texts(types)))
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
    var expanded: JSONValue {
        .members(
            (
                "select",
                .members(
                    ("dirty", .string("synced = false")),
                    ("deleted", sendsDeletes ? .string("pending_delete") : nil))
            ),
            ("batch", .integer(batch)), ("record_type", .string(recordType)),
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
