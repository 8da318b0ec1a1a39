import JSON

/// An expression of a manifest, as it is written; what it means is the business of the place it stands in.
indirect enum Expression: Equatable, Sendable {
    case literal(JSONValue)
    case name(String)
    /// `a.b`, `a['b']` and `a.get('b')`.
    case member(Expression, String)
    case index(Expression, Expression)
    /// `a.get('b', c)` and `a | default(c)`.
    case fallback(Expression, Expression)
    case call(Expression, [Expression], [Named])
    case filter(Expression, String, [Expression])
    /// `a[1:-1]`; null where the text begins or ends.
    case part(Expression, from: Expression, to: Expression)
    case not(Expression)
    case binary(String, Expression, Expression)
    /// `a is none`.
    case test(Expression, String, isNegated: Bool)
    case choice(Expression, when: Expression, otherwise: Expression)
    case list([Expression])
    case object([Named])

    /// A name and what it is.
    struct Named: Equatable, Sendable {
        var name: String
        var value: Expression
    }

    static let null = Expression.literal(.null)

    /// A literal that is false where a truth is wanted: what stands for "nothing" in a manifest.
    var isEmpty: Bool {
        switch self {
        case .literal(.null), .literal(.bool(false)), .literal(.string("")): true
        case .list(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        default: false
        }
    }

    /// The text of a literal text, or of several in a row.
    var constantText: String? {
        if case .binary("+", let left, let right) = self,
            let head = left.constantText, let tail = right.constantText
        {
            return head + tail
        }
        return literal?.string
    }

    var literal: JSONValue? { if case .literal(let value) = self { value } else { nil } }

    /// The text of a literal text, number or truth.
    var literalText: String? {
        guard let value = literal else { return nil }
        return value.string ?? value.numberText ?? value.bool.map { "\($0)" }
    }

    /// What a function is called, and with what; nil for anything else.
    var calling: (name: String, arguments: [Expression], named: [Named])? {
        guard case .call(.name(let name), let arguments, let named) = self else { return nil }
        return (name, arguments, named)
    }
}

/// A value by the name of what holds it and the way into it.
struct Reference: Equatable, Sendable {
    var root: String
    var path: [String]
    /// What holds where there is nothing; nil where nothing is said.
    var fallback: Expression?
}

extension Expression {
    /// The value that the expression stands for; nil where it is more than a place.
    var reference: Reference? {
        switch self {
        case .name(let name): return Reference(root: name, path: [])
        case .member(let inner, let name):
            guard var found = inner.reference, found.fallback == nil else { return nil }
            found.path.append(name)
            return found
        case .fallback(let inner, let other), .binary("or", let inner, let other):
            guard var found = inner.reference, found.fallback == nil else { return nil }
            if !other.isEmpty { found.fallback = other }
            return found
        case .choice(let value, let condition, let other):
            guard let found = value.reference, found.fallback == nil,
                condition.asksFor(found)
            else { return nil }
            return Reference(
                root: found.root, path: found.path, fallback: other.isEmpty ? nil : other)
        default: return nil
        }
    }

    /// The condition holds where there is something at that place.
    private func asksFor(_ place: Reference) -> Bool {
        switch self {
        case .test(let inner, "none", isNegated: true),
            .test(let inner, "defined", isNegated: false):
            inner.reference == place
        case .binary("in", .literal(.string(let name)), let inner):
            inner.reference == Reference(root: place.root, path: place.path.dropLast())
                && place.path.last == name
        default: reference == place
        }
    }

    /// Without the filters of that name around it.
    func without(_ filters: Set<String>) -> Expression {
        guard case .filter(let inner, let name, let arguments) = self, filters.contains(name),
            arguments.isEmpty
        else { return self }
        return inner.without(filters)
    }

    /// The place in the answer that the expression stands for.
    var answerPath: [String]? {
        guard let found = without(["tojson", "string", "int", "trim"]).reference,
            found.root == "response", found.fallback == nil
        else { return nil }
        return found.path
    }
}
