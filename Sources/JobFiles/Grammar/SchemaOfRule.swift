import JSON

/// What keys ask of each other as JSON Schema says it.
extension KeyRule {
    /// Nil when the rule is not one of these; a demand asks for something to be there.
    func schema(isDemand: Bool) -> JSONValue? {
        switch self {
        case .atLeastOneKey: return isDemand ? .members(("minProperties", .integer(1))) : nil
        case .atMostOne(let names):
            guard !isDemand else { return nil }
            let pairs = names.indices.flatMap { first in
                names[(first + 1)...].map {
                    JSONValue.members(("required", .texts([names[first], $0])))
                }
            }
            return .members(("not", .members(("anyOf", .array(pairs)))))
        case .when(let test, let effects):
            let chosen = effects.filter { $0.isDemand == isDemand }
            guard !chosen.isEmpty else { return nil }
            if case .fails = chosen[0] { return Self.condition(test, .bool(false)) }
            return Self.condition(test, .object(chosen.flatMap(\.schema)))
        }
    }

    static func condition(_ test: Test, _ then: JSONValue) -> JSONValue {
        .members(("if", test.schema), ("then", then))
    }
}

extension KeyRule.Test {
    fileprivate var schema: JSONValue {
        switch self {
        case .isThere(let name): .members(("required", .texts([name])))
        case .has(let name, let words):
            .members(
                (
                    "properties",
                    .members(
                        (
                            name,
                            .members(
                                (
                                    "enum",
                                    .array(words.map { $0 == "true" ? .bool(true) : .string($0) })
                                ))
                        ))
                ), ("required", .texts([name])))
        case .not(let test): .members(("not", test.schema))
        case .all(let tests): .members(("allOf", .array(tests.map(\.schema))))
        }
    }
}

extension KeyRule.Effect {
    fileprivate var isDemand: Bool {
        if case .needs = self { true } else { false }
    }

    fileprivate var schema: [JSONMember] {
        switch self {
        case .needs(let names): [JSONMember("required", .texts(names))]
        case .forbids(let names):
            [JSONMember("properties", .object(names.map { JSONMember($0, .bool(false)) }))]
        case .narrows(let name, let type):
            [JSONMember("properties", .object([JSONMember(name, .object(type.schema))]))]
        case .fails: []
        }
    }
}
