import JSON

extension Mapping where Model == KeepRule {
    static let keepIf = Mapping(
        "keep_if", "A record is kept when its field compares so.",
        blank: KeepRule(field: "", comparison: .eq, value: .null),
        oneOf: KeepRule.Comparison.allCases.map(\.rawValue)
    ) {
        required("field", \.field, .field, "The name of a mapped field.")
        compared(.gte, "Kept when the field is this or more. \(ordered)")
        compared(.gt, "Kept when the field is more. \(ordered)")
        compared(.lte, "Kept when the field is this or less. \(ordered)")
        compared(.lt, "Kept when the field is less. \(ordered)")
        compared(.eq, "Kept when the field is this. For everything but `json`.")
        compared(.ne, "Kept when the field is not this. For everything but `json`.")
        dependent(
            KeepRule.Comparison.youngerThan.rawValue, \.self, age.type,
            read: { node, place, rule in
                guard let field = place.field(of: rule) else { return nil }
                guard field.kind == .timestamp else {
                    place.reading.add(
                        node,
                        "younger_than is for a timestamp, \"\(field.name)\" is \(field.kind.rawValue)"
                    )
                    return nil
                }
                return age.read(node, place.reading).map {
                    KeepRule(
                        field: field.name, comparison: .youngerThan, value: .span($0), span: $0)
                }
            }, write: { $0.comparison == .youngerThan ? $0.value : nil },
            """
            Kept when the timestamp lies no longer ago than this, such as `400d`, or is missing. What a `cleanup` of \
            another file deletes from the same table must not come back: a set of files says so.
            """)
        usual(
            "missing", \.keepsMissing, .only("keep"),
            """
            With `keep` a record without the value is kept. Else it is kept by `ne` and `younger_than` alone.
            """)
    }

    private static let age = Form<Duration>.duration(.seconds(1) ... .days(36_500))
    private static let ordered = "For timestamps, durations and numbers."

    private static func compared(
        _ comparison: KeepRule.Comparison, _ meaning: String
    ) -> Key<KeepRule> {
        dependent(
            comparison.rawValue, \.self, .any("value of the field's type"),
            read: { node, place, rule in
                guard let field = place.field(of: rule) else { return nil }
                let isOrdered = [.timestamp, .duration, .int, .double, .decimal]
                    .contains(field.kind)
                let isEquality = comparison == .eq || comparison == .ne
                guard isEquality ? field.kind != .json : isOrdered else {
                    place.reading.add(
                        node,
                        "\(comparison.rawValue) does not fit type \(field.kind.rawValue) of field \"\(field.name)\""
                    )
                    return nil
                }
                return place.reading.literal(node, for: field.kind).map {
                    KeepRule(field: field.name, comparison: comparison, value: $0)
                }
            }, write: { $0.comparison == comparison ? $0.value : nil }, meaning)
    }
}

extension Place {
    fileprivate func field(of rule: KeepRule) -> Field? {
        scope.entity?.columns?.field(named: rule.field)
    }
}
