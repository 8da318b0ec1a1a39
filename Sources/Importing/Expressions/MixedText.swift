import JSON

/// A text of a manifest: what stands there as it is, and the expressions in between.
struct MixedText {
    enum Part {
        case text(String)
        case expression(Expression, String)
    }
    var parts: [Part]

    /// Throws for statements, and for expressions that are none.
    init(_ text: String) throws(Untranslatable) {
        parts = []
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            try Self.checkPlain(rest[..<open.lowerBound])
            if open.lowerBound > rest.startIndex {
                parts.append(.text(String(rest[..<open.lowerBound])))
            }
            guard let end = Self.end(of: rest[open.upperBound...]) else {
                throw Untranslatable(text, "an expression without an end")
            }
            var inner = rest[open.upperBound..<end]
            if inner.first == "-" { inner = inner.dropFirst() }
            if inner.last == "-" { inner = inner.dropLast() }
            let written = inner.trimmingSpace
            guard let expression = ExpressionParser.parse(written) else {
                throw Untranslatable(written, "an expression beyond what a job file can say")
            }
            parts.append(.expression(expression, written))
            rest = rest[rest.index(end, offsetBy: 2)...]
        }
        try Self.checkPlain(rest)
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        // Space around an expression is how it is laid out, and Airbyte strips it.
        let count = parts.count
        parts.removeAll { part in
            guard case .text(let text) = part, count > 1, text.trimmingSpace.isEmpty else {
                return false
            }
            return count == 2 || text.contains("\n")
        }
    }

    /// The expression when the text is nothing else.
    var alone: Expression? {
        guard parts.count == 1, case .expression(let only, _) = parts[0] else { return nil }
        return only
    }

    /// The text when it holds no expression.
    var plain: String? {
        if parts.isEmpty { return "" }
        guard parts.count == 1, case .text(let only) = parts[0] else { return nil }
        return only
    }

    /// One expression for all of it, for evaluation.
    var joined: Expression {
        let all = parts.map { part -> Expression in
            switch part {
            case .text(let text): .literal(.string(text))
            case .expression(let expression, _): expression
            }
        }
        guard let first = all.first else { return .literal(.string("")) }
        return all.dropFirst().reduce(first) { .binary("+", $0, $1) }
    }

    /// The end of an expression: braces of objects and texts within it are its own.
    private static func end(of text: Substring) -> Substring.Index? {
        var depth = 0
        var quote: Character?
        var index = text.startIndex
        while index < text.endIndex {
            let character = text[index]
            if let mark = quote {
                if character == "\\" {
                    index = text.index(after: index)
                    guard index < text.endIndex else { return nil }
                } else if character == mark {
                    quote = nil
                }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "{" {
                depth += 1
            } else if character == "}" {
                if depth == 0 { return text[index...].hasPrefix("}}") ? index : nil }
                depth -= 1
            }
            index = text.index(after: index)
        }
        return nil
    }

    private static func checkPlain(_ text: Substring) throws(Untranslatable) {
        guard !text.contains("{%"), !text.contains("{#") else {
            throw Untranslatable(
                String(text), "a statement ({% … %}); there are no statements in a job file")
        }
    }
}

extension StringProtocol {
    /// Without white space at its ends.
    var trimmingSpace: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
