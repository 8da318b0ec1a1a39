import JSON

// What is sent: texts with placeholders, and what is made of them.

extension Form where Value == Template {
    /// A text with placeholders that the place permits.
    static func template(_ permits: Permits) -> Form {
        Form(type: .template, read: { $1.template($0, permits) }, write: { .text($0) })
    }

    /// A job file is no place for a secret, so what proves identity must be a placeholder.
    static let secret = template(.secret, .secret, "{secret.name}, found a text") {
        if case .secret = $0 { true } else { false }
    }

    /// It differs from row to row.
    static let rowName = template(.rowTemplate, .row, "{row.column}, so that names differ") {
        if case .row = $0 { true } else { false }
    }

    private static func template(
        _ form: TextForm, _ permits: Permits, _ complaint: String,
        _ isWanted: @escaping @Sendable (Placeholder) -> Bool
    ) -> Form {
        Form(
            type: .formed(form),
            read: { node, reading in
                guard let template = reading.template(node, permits) else { return nil }
                if template.placeholders.contains(where: isWanted) { return template }
                reading.add(node, "expected a placeholder \(complaint)")
                return nil
            }, write: { .text($0) })
    }

    /// The path of a request below its source's base.
    static func urlPath(_ permits: Permits) -> Form {
        Form(type: .formed(.urlPath), read: { $1.urlPath($0, permits) }, write: { .text($0) })
    }
}

extension Form where Value == [NamedTemplate] {
    /// Header fields, which may hold secrets.
    static func headers(_ permits: Permits) -> Form {
        Form(
            type: .named(.template, by: .ownHeaderName),
            read: { $1.headers($0, permits.union(.secret)) }, write: NamedTemplate.written)
    }

    /// Parameters of a query or fields of a form; a list of values repeats the name.
    static func parameters(_ permits: Permits) -> Form {
        let values = Form<[Template]>.oneOrMore(.template(permits))
        return Form(
            type: .named(values.type, by: .notEmpty),
            read: { node, reading in
                reading.entries(node)?.flatMap { entry -> [NamedTemplate] in
                    guard !entry.key.isEmpty else {
                        reading.add(entry.position, entry.value.path, "expected a name")
                        return []
                    }
                    return (values.read(entry.value, reading) ?? [])
                        .map { NamedTemplate(name: entry.key, value: $0) }
                }
            }, write: NamedTemplate.written)
    }
}

extension NamedTemplate {
    /// As a file writes them, those of one name as a list; nil when there are none.
    @Sendable static func written(_ all: [NamedTemplate]) -> JSONValue? {
        var names: [String] = []
        for named in all where !names.contains(named.name) { names.append(named.name) }
        return .named(
            names.map { name in
                let values = all.filter { $0.name == name }.map { JSONValue.text($0.value) }
                return (name, values.count == 1 ? values[0] : .array(values))
            })
    }
}

extension Form where Value == BodyTemplate {
    /// A JSON body whose texts are templates.
    static func body(_ permits: Permits) -> Form {
        Form(type: .any("any YAML"), read: { $1.body($0, permits) }, write: \.written)
    }
}

extension BodyTemplate {
    /// As a file writes it.
    var written: JSONValue {
        switch self {
        case .literal(let value): value
        case .text(let template): .text(template)
        case .array(let elements): .array(elements.map(\.written))
        case .object(let members): .object(members.map { JSONMember($0.name, $0.value.written) })
        case .when(_, let body): body.written
        }
    }
}

extension NodeReading {
    fileprivate func urlPath(_ node: Node, _ permits: Permits) -> Template? {
        guard let template = template(node, permits) else { return nil }
        let literals = template.pieces.compactMap { piece in
            if case .literal(let text) = piece { Array(text.utf8) } else { nil }
        }
        // Byte by byte: beside a combining mark a '?' is another Character.
        let bytes = literals.flatMap(\.self)
        guard case .literal(let first)? = template.pieces.first, first.hasPrefix("/") else {
            add(node, "expected a path that starts with /, found \(node.words)")
            return nil
        }
        let complaint: String? =
            if bytes.contains(where: { "?#".utf8.contains($0) }) {
                "a path holds no ? or #; put parameters under query"
            } else if bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
                "a path holds no white space"
            } else if bytes.contains(where: { $0 > 0x7F }) {
                "a path holds ASCII only; write other letters as %XX"
            } else {
                nil
            }
        if let complaint { add(node, complaint) }
        return complaint == nil ? template : nil
    }
}
