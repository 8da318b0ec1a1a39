import JSON

extension Expression {
    /// The same with the values of parameters in place of their names, and the branch that a condition on them leads to.
    func knowing(_ parameters: JSONValue) -> Expression {
        if let place = reference, ["parameters", "options"].contains(place.root),
            place.fallback == nil, let value = parameters[path: place.path],
            let text = value.scalarText, !text.contains("{{")
        {
            return .literal(value)
        }
        switch self {
        case .choice(let then, let condition, let other):
            let known = condition.knowing(parameters)
            guard let holds = known.constantTruth else {
                return .choice(
                    then.knowing(parameters), when: known, otherwise: other.knowing(parameters))
            }
            return (holds ? then : other).knowing(parameters)
        case .binary(let mark, let left, let right):
            return .binary(mark, left.knowing(parameters), right.knowing(parameters))
        case .index(let inner, let key):
            let known = key.knowing(parameters)
            return known.constantText.map { .member(inner.knowing(parameters), $0) }
                ?? .index(inner.knowing(parameters), known)
        case .not(let inner): return .not(inner.knowing(parameters))
        case .call(let callee, let arguments, let named):
            return .call(callee, arguments.map { $0.knowing(parameters) }, named)
        case .filter(let inner, let name, let arguments):
            return .filter(inner.knowing(parameters), name, arguments)
        default: return self
        }
    }

    /// What a comparison of two literals comes to.
    private var constantTruth: Bool? {
        switch self {
        case .binary("==", .literal(let left), .literal(let right)): left == right
        case .binary("!=", .literal(let left), .literal(let right)): left != right
        case .not(let inner): inner.constantTruth.map { !$0 }
        case .literal(.bool(let value)): value
        default: nil
        }
    }
}
