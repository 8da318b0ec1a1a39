public import JSON

extension Path: CustomStringConvertible {
    /// Reads `a.b`, `a[]`, `[].a`, `["a.b"].c` or nothing for the whole; throws at anything else.
    public init(parsing text: String) throws(FormatError) {
        steps = []
        var scanner = PathScanner(text)
        while !scanner.isAtEnd { steps.append(try scanner.step(isFirst: steps.isEmpty)) }
    }

    /// The path as a job file writes it.
    public var description: String {
        steps.enumerated().reduce(into: "") { text, step in
            switch step.element {
            case .each: text += "[]"
            case .element(let name, let value): text += "[\(name)=\(value)]"
            case .member(let name) where PathScanner.isPlain(name):
                text += (step.offset > 0 ? "." : "") + name
            case .member(let name): text += "[\(JSONValue.string(name).text)]"
            }
        }
    }

    /// The path goes through every element of an array.
    public var hasEach: Bool { steps.contains(.each) }

    /// Every value the path leads to, in document order; what is missing on the way is left out.
    public func nodes(in root: JSONNode) -> [JSONNode] {
        var nodes = [root]
        for step in steps {
            switch step {
            case .member(let name): nodes = nodes.compactMap { $0[name] }
            case .each: nodes = nodes.flatMap(\.elements)
            case .element(let name, let value):
                nodes = nodes.compactMap { $0.element(name, value) }
            }
        }
        return nodes
    }

    /// The first value the path leads to; nil without one.
    public func first(in root: JSONNode) -> JSONNode? {
        guard hasEach else {
            return steps.reduce(root) { node, step in
                switch step {
                case .member(let name): node?[name]
                case .element(let name, let value): node?.element(name, value)
                case .each: nil
                }
            }
        }
        return nodes(in: root).first
    }
}

extension JSONNode {
    /// The first element of an array whose member has that value, a text, a number or a truth; nil when none has.
    public func element(_ name: String, _ value: String) -> JSONNode? {
        elements.first { element in
            guard let found = element[name] else { return false }
            return (found.string ?? found.rawText) == value
        }
    }
}
