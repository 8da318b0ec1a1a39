import JSON

/// Evaluates what depends on one value of the configuration alone, for each value that it can have.
struct Evaluation {
    let path: [String]
    let value: JSONValue

    /// The paths of the configuration that an expression reads; nil where it reads something else.
    static func inputs(of expression: Expression) -> Set<[String]>? {
        if let place = expression.reference, place.root == "config", place.fallback == nil {
            return [place.path]
        }
        func all(_ parts: [Expression]) -> Set<[String]>? {
            parts.reduce([] as Set<[String]>?) { sum, part in
                guard let sum, let more = inputs(of: part) else { return nil }
                return sum.union(more)
            }
        }
        switch expression {
        case .literal: return []
        case .name: return nil
        case .member(let inner, _), .not(let inner), .test(let inner, _, _):
            return inputs(of: inner)
        case .index(let inner, let other), .fallback(let inner, let other),
            .binary(_, let inner, let other):
            return all([inner, other])
        case .call(.member(let inner, let name), let arguments, let named)
        where ["lower", "upper", "replace", "strip"].contains(name) && named.isEmpty:
            return all([inner] + arguments)
        case .call, .part: return nil
        case .filter(let inner, _, let arguments): return all([inner] + arguments)
        case .choice(let then, let condition, let other): return all([then, condition, other])
        case .list(let elements): return all(elements)
        case .object(let members): return all(members.map(\.value))
        }
    }

    /// Nil for what this can't evaluate.
    func value(of expression: Expression) -> JSONValue? {
        switch expression {
        case .literal(let value): return value
        case .name("config"): return nil
        case .name: return nil
        case .member(let inner, let name):
            if let place = expression.reference, place.root == "config" {
                return place.path == path ? value : nil
            }
            if case .object(let members) = inner {
                return members.first { $0.name == name }.flatMap { value(of: $0.value) } ?? .null
            }
            return nil
        case .index(.object(let members), let key):
            guard let name = value(of: key)?.scalarText else { return nil }
            guard let found = members.first(where: { $0.name == name }) else { return .null }
            return value(of: found.value)
        case .index: return nil
        case .fallback(let inner, let other), .binary("or", let inner, let other):
            guard let first = value(of: inner) else { return nil }
            return first.isTrue ? first : value(of: other)
        case .binary("and", let inner, let other):
            guard let first = value(of: inner) else { return nil }
            return first.isTrue ? value(of: other) : first
        case .binary(let mark, let left, let right): return compared(mark, left, right)
        case .not(let inner): return value(of: inner).map { .bool(!$0.isTrue) }
        case .test(let inner, let word, let isNegated):
            guard let found = value(of: inner) else { return nil }
            switch word {
            case "none": return .bool((found == .null) != isNegated)
            case "defined": return .bool(!isNegated)
            case "true": return .bool((found == .bool(true)) != isNegated)
            case "false": return .bool((found == .bool(false)) != isNegated)
            default: return nil
            }
        case .choice(let then, let condition, let other):
            guard let holds = value(of: condition) else { return nil }
            return value(of: holds.isTrue ? then : other)
        case .call(.member(let inner, let name), let arguments, _):
            guard let text = value(of: inner)?.scalarText else { return nil }
            return changed(text, name, arguments)
        case .filter(let inner, let name, let arguments):
            guard let text = value(of: inner)?.scalarText else { return nil }
            return changed(text, name, arguments)
        case .call, .list, .object, .part: return nil
        }
    }

    private func changed(_ text: String, _ name: String, _ arguments: [Expression]) -> JSONValue? {
        switch name {
        case "lower": return .string(text.lowercased())
        case "upper": return .string(text.uppercased())
        case "string": return .string(text)
        case "trim", "strip": return .string(text.trimmingSpace)
        case "replace":
            let words = arguments.compactMap(\.literalText)
            return words.count == 2 ? .string(text.replacing(words[0], with: words[1])) : nil
        default: return nil
        }
    }

    private func compared(_ mark: String, _ left: Expression, _ right: Expression) -> JSONValue? {
        if mark == "in", let found = value(of: left)?.scalarText {
            guard case .list(let elements) = right else { return nil }
            return .bool(elements.contains { $0.literalText == found })
        }
        guard let first = value(of: left), let second = value(of: right) else { return nil }
        switch mark {
        case "==": return .bool(first == second)
        case "!=": return .bool(first != second)
        case "+":
            guard let head = left.isWritten(first), let tail = right.isWritten(second) else {
                return nil
            }
            return .string(head + tail)
        default: return nil
        }
    }
}

extension Expression {
    /// A value of the expression inside a text: where a condition does not hold, nothing.
    fileprivate func isWritten(_ value: JSONValue) -> String? {
        if case .choice(_, _, .literal(.null)) = self, value == .null { return "" }
        return value.scalarText
    }
}

extension JSONValue {
    /// True where Jinja takes it for true.
    fileprivate var isTrue: Bool {
        switch self {
        case .null, .bool(false), .string(""), .number("0"): false
        case .array(let elements): !elements.isEmpty
        case .object(let members): !members.isEmpty
        default: true
        }
    }
}
