import JSON

extension JSONValue {
    /// A number; nil for other values.
    var double: Double? { numberText.flatMap { Double($0) } }

    /// A number as JSON, which knows no infinity.
    static func double(_ value: Double) -> JSONValue {
        value.isFinite ? .number("\(value)") : .null
    }

    /// An array of numbers.
    static func doubles(_ values: [Double]) -> JSONValue { .array(values.map { .double($0) }) }
}
