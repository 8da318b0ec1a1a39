import Foundation
import JSON

@testable import JobFiles

/// Values that a type refuses, made from the type alone.
extension ValueType {
    /// `standing`: what stands there and is right, for what is wrong about a part of it.
    func wrong(beside standing: JSONValue) -> [JSONValue] {
        var tried: Set<String> = []
        return tries(beside: standing).filter { !accepts($0) && tried.insert($0.text).inserted }
    }

    /// A mapping, a list, a number and a text.
    private static let shapes: [JSONValue] = [
        .object([]), .array([]), .number("5"), .string("no such"),
    ]

    /// The same, and what a number or a boolean may be taken for.
    private static let scalars = shapes + [.null, .bool(true), .number("1.5"), .string("true")]

    /// Each is malformed for one form at least, the first ones for most.
    fileprivate static let texts = [
        "Host", "AUTHENTICATION_FAILED", "", " ", "a b", "é", "a..b", "A-b", "a[]", "1", "-",
        "http://", "ftp://a", "/a?b", "{x", "2024-01-31", "yyyy", "iCloud.",
    ]

    /// No templates.
    private static let templates: [JSONValue] = [.string("{x"), .string("{x.y}")]

    private func tries(beside standing: JSONValue) -> [JSONValue] {
        switch self {
        case .any: return []
        case .keys, .text: return Self.shapes
        case .boolean: return Self.scalars
        case .template: return Self.shapes + Self.templates
        case .formed(let form): return Self.shapes + form.malformed.map { .string($0) }
        case .word(let words, _):
            return Self.shapes + words.prefix(1).map { .string($0 + "x") }
        case .duration(let range):
            let outside = [
                range.lowerBound - .milliseconds(1), range.upperBound + .milliseconds(1),
            ]
            return Self.scalars + outside.filter { $0 >= .zero }.map { .span($0) }
                + ["5", "5 s", "1h30m", "-1s", "s"].map { .string($0) }
        case .integer(let range, let except):
            let below = range.lowerBound.subtractingReportingOverflow(1)
            let above = range.upperBound.addingReportingOverflow(1)
            return Self.scalars
                + [below, above].filter { !$0.overflow }
                .map { .integer($0.partialValue) } + except.map { .integer($0) }
                + [.string("\(range.lowerBound)"), .number("1e30")]
        case .number(let range):
            let outside = [range.lowerBound - 1, range.upperBound + 1].filter(\.isFinite)
            return Self.scalars + outside.map { .double($0) } + [.string("1")]
        case .list(let element, _), .oneOrMore(let element):
            let first = standing.elements?.first ?? standing
            return Self.shapes + element.wrong(beside: first).map { .array([$0]) }
        case .pair(let first, let second):
            let values = standing.elements ?? []
            return Self.shapes + [.array([values[0]]), .array(values + [.null])]
                + first.wrong(beside: values[0]).map { .array([$0, values[1]]) }
                + second.wrong(beside: values[1]).map { .array([values[0], $0]) }
        case .named(let element, let form, _, let except):
            guard let member = standing.members?.first else { return Self.shapes }
            let names = form.malformed + except
            return Self.shapes + names.map { .object([JSONMember($0, member.value)]) }
                + element.wrong(beside: member.value).map {
                    .object([JSONMember(member.name, $0)])
                }
        case .anyOf(let types): return types.flatMap { $0.tries(beside: standing) }
        }
    }

    /// Whether a value is right, as far as its type alone says.
    private func accepts(_ value: JSONValue) -> Bool {
        switch self {
        case .any: return true
        case .keys: return value.members != nil
        case .text: return value.scalar != nil
        case .template: return value.scalar != nil && !Self.templates.contains(value)
        case .formed(let form): return value.scalar.map(form.accepts) ?? false
        case .word(let words, _): return value.scalar.map(words.contains) ?? false
        case .boolean:
            guard case .bool = value else { return false }
            return true
        case .duration(let range):
            return value.string.flatMap { Duration(jobFile: $0) }.map(range.contains) ?? false
        case .integer(let range, let except):
            guard case .number(let text) = value, let number = Int(text) else { return false }
            return range.contains(number) && !except.contains(number)
        case .number(let range):
            guard case .number(let text) = value else { return false }
            return Double(text).map(range.contains) ?? false
        case .list(let element, let isFilled):
            guard let elements = value.elements else { return false }
            return elements.allSatisfy(element.accepts) && !(isFilled && elements.isEmpty)
        case .oneOrMore(let element):
            return element.accepts(value) || ValueType.filled(element).accepts(value)
        case .pair(let first, let second):
            guard let values = value.elements, values.count == 2 else { return false }
            return first.accepts(values[0]) && second.accepts(values[1])
        case .named(let element, let form, let isFilled, let except):
            guard let members = value.members else { return false }
            return !(isFilled && members.isEmpty)
                && members.allSatisfy {
                    form.accepts($0.name) && !except.contains($0.name) && element.accepts($0.value)
                }
        case .anyOf(let types): return types.contains { $0.accepts(value) }
        }
    }
}

extension TextForm {
    /// A few texts that are none in this form.
    fileprivate var malformed: [String] {
        Array(ValueType.texts.filter { !accepts($0) }.prefix(5))
    }

    /// By what an editor can check, which is never more than what is checked.
    fileprivate func accepts(_ text: String) -> Bool {
        pattern.isEmpty || text.range(of: pattern, options: .regularExpression) != nil
    }
}
