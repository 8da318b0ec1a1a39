import JSON

/// Where records go and what follows, as a job file writes it.
extension Write {
    /// Tombstones can only be spoken of where some can come.
    func expanded(_ cloudkit: CloudKitOperation?) -> JSONValue {
        .members(
            ("table", .string(table)), ("mode", .string(mode.rawValue)),
            ("newer_by", newerBy.map { .string($0) }), ("unique", unique?.expanded),
            ("deletes", deletes?.expanded(cloudkit)),
            ("indexes", .filled(indexes.map { .texts($0) })))
    }
}

extension Unique {
    fileprivate var expanded: JSONValue {
        .members(
            ("by", .texts(by)), ("keep", .members((keep.rawValue, .string(keepField)))),
            ("merge", .named(merge.map { ($0.column, .string($0.rule.rawValue)) })),
            ("losers", .string(losers.rawValue)))
    }
}

extension Deletes {
    fileprivate func expanded(_ cloudkit: CloudKitOperation?) -> JSONValue {
        let flag = flagAt.map { path in
            cloudkit.map { CloudKitWire.filePath(path, prefix: $0.fieldPrefix) } ?? path
        }
        let hasTombstones = cloudkit?.feed != nil || flag != nil
        return .members(
            (
                "tombstones",
                hasTombstones ? .string(appliesTombstones ? "delete" : "ignore") : nil
            ),
            ("unsent", unsent == .delete ? .string(unsent.rawValue) : nil),
            ("flag_at", flag.map { .text($0) }),
            ("flag_is", flag == nil ? nil : flagIs.expanded),
            ("soft_field", softField.map { .string($0) }),
            ("sweep", sweeps ? .string("after_full_pass") : nil),
            ("max_fraction", maxFraction.map { .double($0) }),
            (
                "confirm",
                confirmation.map {
                    .members(
                        ("path", .text($0.path)), ("gone", .array($0.gone.map { .integer($0) })))
                }
            ))
    }
}

extension Deletes.Flag {
    fileprivate var expanded: JSONValue {
        if case .words(let words) = self { return .texts(words) }
        return Self.names.first { $0.value == self }.map { .string($0.key) } ?? .null
    }
}
