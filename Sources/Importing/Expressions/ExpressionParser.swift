import JSON

/// Reads an expression by Jinja's rules of what binds tighter.
struct ExpressionParser {
    private let tokens: [Token]
    private var index = 0

    /// Nil for what is no expression, or one beyond what is known here.
    static func parse(_ text: some StringProtocol) -> Expression? {
        guard let tokens = Importing.tokens(of: text), !tokens.isEmpty else { return nil }
        var parser = ExpressionParser(tokens: tokens)
        guard let expression = parser.choice(), parser.index == tokens.count else { return nil }
        return expression
    }

    private init(tokens: [Token]) { self.tokens = tokens }

    private var next: Token? { index < tokens.count ? tokens[index] : nil }

    private mutating func take(_ mark: String) -> Bool {
        guard next == .mark(mark) else { return false }
        index += 1
        return true
    }

    private mutating func takeWord(_ word: String) -> Bool {
        guard next == .name(word) else { return false }
        index += 1
        return true
    }

    private mutating func choice() -> Expression? {
        guard let value = either() else { return nil }
        guard takeWord("if") else { return value }
        guard let condition = either() else { return nil }
        guard takeWord("else") else { return .choice(value, when: condition, otherwise: .null) }
        guard let other = choice() else { return nil }
        return .choice(value, when: condition, otherwise: other)
    }

    private mutating func either() -> Expression? {
        guard var left = both() else { return nil }
        while takeWord("or") {
            guard let right = both() else { return nil }
            left = .binary("or", left, right)
        }
        return left
    }

    private mutating func both() -> Expression? {
        guard var left = negation() else { return nil }
        while takeWord("and") {
            guard let right = negation() else { return nil }
            left = .binary("and", left, right)
        }
        return left
    }

    private mutating func negation() -> Expression? {
        guard takeWord("not") else { return comparison() }
        return negation().map { .not($0) }
    }

    private mutating func comparison() -> Expression? {
        guard var left = sum() else { return nil }
        while let mark = comparing() {
            guard let right = sum() else { return nil }
            left = mark == "not in" ? .not(.binary("in", left, right)) : .binary(mark, left, right)
        }
        return left
    }

    private mutating func comparing() -> String? {
        if takeWord("in") { return "in" }
        if next == .name("not"), index + 1 < tokens.count, tokens[index + 1] == .name("in") {
            index += 2
            return "not in"
        }
        return ["==", "!=", "<=", ">=", "<", ">"].first { take($0) }
    }

    private mutating func sum() -> Expression? {
        guard var left = product() else { return nil }
        while let mark = ["+", "-", "~"].first(where: { take($0) }) {
            guard let right = product() else { return nil }
            left = .binary(mark == "~" ? "+" : mark, left, right)
        }
        return left
    }

    private mutating func product() -> Expression? {
        guard var left = sign() else { return nil }
        while let mark = ["*", "//", "/", "%"].first(where: { take($0) }) {
            guard let right = sign() else { return nil }
            left = .binary(mark, left, right)
        }
        return left
    }

    private mutating func sign() -> Expression? {
        guard take("-") else { return postfix() }
        guard case .literal(.number(let text))? = sign() else { return nil }
        return .literal(.number("-" + text))
    }

    private mutating func postfix() -> Expression? {
        guard var value = primary() else { return nil }
        while true {
            if take(".") {
                guard case .name(let name)? = next else { return nil }
                index += 1
                value = .member(value, name)
            } else if take("[") {
                if let slice = slice(of: value) {
                    value = slice
                    continue
                }
                guard let inner = choice(), take("]") else { return nil }
                if let name = inner.constantText {
                    value = .member(value, name)
                } else {
                    value = .index(value, inner)
                }
            } else if take("(") {
                guard let called = call(value) else { return nil }
                value = called
            } else if take("|") {
                guard case .name(let name)? = next else { return nil }
                index += 1
                var arguments: [Expression] = []
                if take("(") {
                    guard let found = self.arguments() else { return nil }
                    arguments = found.plain + found.named.map(\.value)
                }
                if name == "default" || name == "d", let other = arguments.first {
                    value = other.isEmpty ? value : .fallback(value, other)
                } else {
                    value = .filter(value, name, arguments)
                }
            } else if takeWord("is") {
                let isNegated = takeWord("not")
                guard case .name(let name)? = next else { return nil }
                index += 1
                value = .test(value, name.lowercased(), isNegated: isNegated)
            } else {
                return value
            }
        }
    }

    /// `x[1:]`, `x[:-2]`: a part of a text; nil, and nothing read, for anything else.
    private mutating func slice(of value: Expression) -> Expression? {
        let start = index
        let from = take(":") ? Expression.null : choice()
        if let from, index > start, from == .null || take(":") {
            let to = take("]") ? Expression.null : choice()
            if let to, to == .null || take("]") { return .part(value, from: from, to: to) }
        }
        index = start
        return nil
    }

    /// `x.get('a', {})` is a place like `x.a`: what it falls back to is as empty as nothing.
    private mutating func call(_ callee: Expression) -> Expression? {
        guard let found = arguments() else { return nil }
        if case .member(let holder, "get") = callee, found.named.isEmpty,
            case .literal(.string(let name))? = found.plain.first, found.plain.count <= 2
        {
            let place = Expression.member(holder, name)
            guard let other = found.plain.dropFirst().first, !other.isEmpty else { return place }
            return .fallback(place, other)
        }
        return .call(callee, found.plain, found.named)
    }

    private mutating func arguments() -> (plain: [Expression], named: [Expression.Named])? {
        var plain: [Expression] = []
        var named: [Expression.Named] = []
        while !take(")") {
            if !plain.isEmpty || !named.isEmpty, !take(",") { return nil }
            if take(")") { break }
            if case .name(let name)? = next, index + 1 < tokens.count,
                tokens[index + 1] == .mark("=")
            {
                index += 2
                guard let value = choice() else { return nil }
                named.append(Expression.Named(name: name, value: value))
            } else {
                guard let value = choice() else { return nil }
                plain.append(value)
            }
        }
        return (plain, named)
    }

    private mutating func primary() -> Expression? {
        guard let token = next else { return nil }
        index += 1
        switch token {
        case .number(let text): return .literal(.number(text.replacing("_", with: "")))
        case .text(let text):
            // Two texts in a row are one, as in Python.
            guard case .text? = next, case .literal(.string(let more))? = primary() else {
                return .literal(.string(text))
            }
            return .literal(.string(text + more))
        case .name(let name): return word(name)
        case .mark("("):
            guard let inner = choice(), take(")") else { return nil }
            if case .binary("or", let value, let other) = inner, other.isEmpty { return value }
            return inner
        case .mark("["): return list()
        case .mark("{"): return object()
        case .mark: return nil
        }
    }

    private func word(_ name: String) -> Expression? {
        switch name {
        case "none", "None", "null": .null
        case "true", "True": .literal(.bool(true))
        case "false", "False": .literal(.bool(false))
        case "if", "else", "and", "or", "in", "is": nil
        default: .name(name)
        }
    }

    private mutating func list() -> Expression? {
        var elements: [Expression] = []
        while !take("]") {
            if !elements.isEmpty, !take(",") { return nil }
            if take("]") { break }
            guard let element = choice() else { return nil }
            elements.append(element)
        }
        return .list(elements)
    }

    private mutating func object() -> Expression? {
        var members: [Expression.Named] = []
        while !take("}") {
            if !members.isEmpty, !take(",") { return nil }
            if take("}") { break }
            guard let name = choice()?.literalText, take(":"), let value = choice() else {
                return nil
            }
            members.append(Expression.Named(name: name, value: value))
        }
        return .object(members)
    }
}
