import JSON

/// A value's type as JSON Schema says it.
extension ValueType {
    /// What a property says beside its description.
    var schema: [JSONMember] {
        switch self {
        case .text, .template: return Self.reference("text")
        case .formed(let form): return Self.reference(form.rawValue)
        case .duration: return Self.reference("duration")
        case .keys(let kind): return Self.reference(kind().title)
        case .boolean: return [JSONMember("type", .string("boolean"))]
        case .word(let words, _): return [JSONMember("enum", .texts(words))]
        case .any: return []
        case .anyOf(let types):
            return [JSONMember("anyOf", .array(types.map { .object($0.schema) }))]
        case .integer(let range, let except):
            let bounds = JSONValue.members(
                ("type", .string("integer")),
                ("minimum", range.lowerBound == .min ? nil : .integer(range.lowerBound)),
                ("maximum", range.upperBound == .max ? nil : .integer(range.upperBound)),
                (
                    "not",
                    except.isEmpty
                        ? nil : .members(("enum", .array(except.map { .integer($0) })))
                ))
            return bounds.members ?? []
        case .number(let range):
            let bounds = JSONValue.members(
                ("type", .string("number")),
                ("minimum", range.lowerBound.isFinite ? .double(range.lowerBound) : nil),
                ("maximum", range.upperBound.isFinite ? .double(range.upperBound) : nil))
            return bounds.members ?? []
        case .list, .pair, .oneOrMore, .named: return collection
        }
    }

    private var collection: [JSONMember] {
        let value: JSONValue
        switch self {
        case .list(let element, let isFilled):
            value = .members(
                ("type", .string("array")), ("items", .object(element.schema)),
                ("minItems", isFilled ? .integer(1) : nil))
        case .pair(let first, let second):
            value = .members(
                ("type", .string("array")), ("minItems", .integer(2)), ("maxItems", .integer(2)),
                ("prefixItems", .array([.object(first.schema), .object(second.schema)])))
        case .oneOrMore(let element):
            let list = ValueType.filled(element)
            value = .members(("anyOf", .array([.object(element.schema), .object(list.schema)])))
        case .named(let element, let form, let isFilled, let except):
            let names = JSONValue.members(
                ("pattern", .string(form.pattern)),
                ("not", except.isEmpty ? nil : .members(("enum", .texts(except)))))
            value = .members(
                ("type", .string("object")), ("additionalProperties", .object(element.schema)),
                ("propertyNames", names), ("minProperties", isFilled ? .integer(1) : nil))
        default: return schema
        }
        return value.members ?? []
    }

    private static func reference(_ name: String) -> [JSONMember] {
        [JSONMember("$ref", .string("#/$defs/\(name)"))]
    }

    /// The texts that others are references to.
    static var definitions: [JSONMember] {
        let text = JSONValue.members(
            (
                "description",
                .string("A text. Whatever it looks like, it is read as one.")
            ), ("type", .texts(["string", "number", "boolean"])))
        let duration = JSONValue.members(
            (
                "description",
                .string("A span of time, exact to the millisecond: 250ms, 2.5s, 5m, 1h, 1d.")
            ), ("type", .string("string")),
            ("pattern", .string(#"^[0-9]{1,9}(\.[0-9]{1,3})?(ms|s|m|h|d)$"#)))
        let forms = TextForm.allCases.map { form in
            JSONMember(
                form.rawValue,
                .members(
                    ("description", .string(form.words)), ("type", .string("string")),
                    ("pattern", .string(form.pattern))))
        }
        return [JSONMember("text", text), JSONMember("duration", duration)] + forms
    }

    /// A value of a declaration's text, such as a default.
    func value(of text: String) -> JSONValue {
        switch self {
        case .boolean: .bool(text == "true")
        case .integer, .number: .number(text)
        default: .string(text)
        }
    }
}

extension KeyFacts {
    /// The key as a property; what a preset narrows or widens is told where there is one.
    var schema: JSONValue {
        var members = [JSONMember("description", .string(meaning + range + news))]
        if let presetType {
            members.append(
                JSONMember("anyOf", .array([.object(type.schema), .object(presetType.schema)])))
        } else {
            members += type.schema
        }
        if case .default(let text) = need {
            members.append(JSONMember("default", type.value(of: text)))
        }
        return .object(members)
    }

    private var range: String {
        guard case .duration(let range) = type else { return "" }
        return " \(range.lowerBound.jobFileText) to \(range.upperBound.jobFileText)."
    }

    private var news: String { since == "0.1" ? "" : " Since \(since)." }
}
