import JSON

extension Mapping where Model == KeepRule {
    static let keepIf = Mapping(
        "keep_if", "A record is kept when its field compares so.",
        blank: KeepRule(field: "", comparison: .eq, value: .null),
        oneOf: KeepRule.Comparison.allCases.map(\.rawValue),
        rules: [
            .when(.not(.isThere("at")), [.needs(["field"]), .forbids(["type"])]),
            .when(.isThere("at"), [.forbids(["field", "younger_than"])]),
        ], only: .byPreset(without: "a rule without cloudkit", with: "a rule of cloudkit")
    ) {
        usual(
            "field", \.field, .field, without: "required unless there is `at`",
            "The name of a mapped field."
        ).when { $0.at == nil }
        optional(
            "at", \.at, .innerPath,
            "Where in the record the value is, if no column holds it. One that is not of the type makes its record incompatible."
        ).only(.withoutPreset)
        usual(
            "type", \.kind, .word("type"), without: "`text`", "What the value at `at` must be."
        ).only(.withoutPreset).when { $0.at != nil }
        compared(.gte, "Kept when the field is this or more. \(ordered)")
        compared(.gt, "Kept when the field is more. \(ordered)")
        compared(.lte, "Kept when the field is this or less. \(ordered)")
        compared(.lt, "Kept when the field is less. \(ordered)")
        compared(.eq, "Kept when the field is this. For everything but `json`.")
        compared(.ne, "Kept when the field is not this. For everything but `json`.")
        dependent(
            KeepRule.Comparison.in.rawValue, \.self, .filled(.any("value of the field's type")),
            read: { node, place, rule in
                guard let field = place.comparable(.in, rule, node) else { return nil }
                guard let elements = place.reading.filledList(node) else { return nil }
                let values = elements.compactMap { place.reading.literal($0, for: field.kind) }
                return rule.compared(.in, .array(values))
            }, write: { $0.comparison == .in ? $0.value : nil },
            "Kept when the field is one of these. For everything but `json`.")
        dependent(
            KeepRule.Comparison.present.rawValue, \.self, .boolean,
            read: { node, place, rule in
                guard place.field(of: rule) != nil else { return nil }
                return place.reading.bool(node).map { rule.compared(.present, .bool($0)) }
            }, write: { $0.comparison == .present ? $0.value : nil },
            "With `true` kept when there is a value, with `false` when there is none or a null.")
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
                guard let span = age.read(node, place.reading) else { return nil }
                var rule = rule.compared(.youngerThan, .span(span))
                rule.span = span
                return rule
            }, write: { $0.comparison == .youngerThan ? $0.value : nil },
            """
            Kept when the timestamp lies no longer ago than this, such as `400d`, or is missing. What a `cleanup` of \
            another file deletes from the same table must not come back: a set of files says so.
            """)
        usual(
            "missing", \.keepsMissing, .only("keep"),
            """
            With `keep` a record without the value is kept. Else it is kept by `ne`, `present` and `younger_than` alone.
            """)
    } check: { place, rule in
        if rule.comparison == .present || rule.comparison == .ne {
            place.report(
                ifThere: "missing", "\(rule.comparison.rawValue) says it already; leave missing out"
            )
        }
        guard rule.at != nil else {
            place.report(ifThere: "type", "a field has a type of its own; leave type out")
            return
        }
        place.report(ifThere: "field", "expected either \"field\" or \"at\", not both")
        place.report(
            ifThere: "younger_than", "younger_than is for a mapped field; expected field")
    }

    private static let age = Form<Duration>.duration(.seconds(1) ... .days(36_500))
    private static let ordered = "For timestamps, durations and numbers."

    private static func compared(
        _ comparison: KeepRule.Comparison, _ meaning: String
    ) -> Key<KeepRule> {
        dependent(
            comparison.rawValue, \.self, .any("value of the field's type"),
            read: { node, place, rule in
                place.comparable(comparison, rule, node)
                    .flatMap { place.reading.literal(node, for: $0.kind) }
                    .map { rule.compared(comparison, $0) }
            }, write: { $0.comparison == comparison ? $0.value : nil }, meaning)
    }
}

extension KeepRule {
    fileprivate func compared(_ comparison: Comparison, _ value: JSONValue) -> KeepRule {
        var rule = self
        (rule.comparison, rule.value) = (comparison, value)
        return rule
    }
}

extension Place {
    /// What the rule compares: a field, or what stands where no field is.
    fileprivate func field(of rule: KeepRule) -> Field? {
        if !has("field"), !has("at") {
            reading.add(node, "missing key \"field\" or \"at\"")
        }
        return rule.place ?? scope.entity?.columns?.field(named: rule.field)
    }

    /// The same where such values can be compared so; reports when they can't.
    fileprivate func comparable(
        _ comparison: KeepRule.Comparison, _ rule: KeepRule, _ node: Node
    ) -> Field? {
        guard let field = field(of: rule) else { return nil }
        let isOrdered = [.timestamp, .duration, .int, .double, .decimal].contains(field.kind)
        let isEquality = [.eq, .ne, .in].contains(comparison)
        if isEquality ? field.kind != .json : isOrdered { return field }
        reading.add(
            node,
            "\(comparison.rawValue) does not fit type \(field.kind.rawValue) of field \"\(field.name)\""
        )
        return nil
    }
}
