import JSON

/// What a place may hold besides `{user.x}` and `{now}`, which may stand anywhere.
struct Permits: OptionSet {
    var rawValue: Int
    static let secret = Permits(rawValue: 1)
    static let list = Permits(rawValue: 2)
    /// What only a pass has: `{since}`, `{until}`, `{page.token}`, `{page.size}`.
    static let pass = Permits(rawValue: 4)
    static let call = Permits(rawValue: 8)
    /// `{chunk}` and `{each.x}`, in the request of an entity with `for_each`.
    static let each = Permits(rawValue: 16)
    /// `{row.x}`, in the name of a pushed record.
    static let row = Permits(rawValue: 32)
    /// `{session.token}`, in `auth.send`.
    static let session = Permits(rawValue: 64)

    func allow(_ placeholder: Placeholder) -> Bool {
        switch placeholder {
        case .user, .now: true
        case .secret: contains(.secret)
        case .list: contains(.list)
        case .since, .until, .pageToken, .pageSize: contains(.pass)
        case .call: contains(.call)
        case .chunk, .each: contains(.each)
        case .row: contains(.row)
        case .sessionToken: contains(.session)
        }
    }
}

extension Placeholder {
    fileprivate var isArray: Bool {
        switch self {
        case .list, .chunk: true
        default: false
        }
    }
}

extension NodeReading {
    /// Text with placeholders that the place permits; remembers them in `uses`.
    func template(_ node: Node, _ permits: Permits) -> Template? {
        guard let text = text(node) else { return nil }
        do throws(FormatError) {
            let template = try Template(parsing: text)
            let checked = template.placeholders.map { check($0, in: template, permits, at: node) }
            return checked.allSatisfy { $0 } ? template : nil
        } catch {
            uses.append(PlaceholderUse(placeholder: nil, node: node))
            add(node, error.message, nearest: error.nearest)
            return nil
        }
    }

    private func check(
        _ placeholder: Placeholder, in template: Template, _ permits: Permits, at node: Node
    ) -> Bool {
        guard permits.allow(placeholder) else {
            let allowed =
                switch placeholder {
                case .user, .now: ""
                case .secret: "auth and requests"
                case .list: "a body"
                case .since, .until, .pageToken, .pageSize: "an entity's request"
                case .call: "requests and conditions"
                case .chunk, .each: "the request of an entity with for_each"
                case .row: "push.record_name and deletes.confirm.path"
                case .sessionToken: "auth.send"
                }
            add(node, "\(placeholder) is allowed only in \(allowed)")
            return false
        }
        if case .user = placeholder, scope.isTenant {
            add(node, "\(placeholder) has no value: a job of scope tenant is of no user")
            return false
        }
        if placeholder.isArray, template.lonePlaceholder == nil {
            add(node, "\(placeholder) is an array, so it must be the whole value")
            return false
        }
        if case .list(let name) = placeholder, !isList(name, at: node) { return false }
        if case .call(let name, _) = placeholder, isCall(name, at: node),
            let ranBefore = scope.ranBefore, !ranBefore.contains(name)
        {
            add(node, "\(placeholder): call \"\(name)\" does not run before this")
        }
        uses.append(PlaceholderUse(placeholder: placeholder, node: node))
        return true
    }

    /// Runs a reader and takes the placeholders it met.
    func collectingUses<Value>(_ body: () -> Value) -> (Value, [PlaceholderUse]) {
        let outer = uses
        uses = []
        defer { uses = outer }
        let value = body()
        return (value, uses)
    }

    /// A JSON body: texts are templates, everything else keeps its JSON type.
    func body(_ node: Node, _ permits: Permits) -> BodyTemplate? {
        switch node.content {
        case .refused: return nil
        case .sequence(let elements):
            return .array(elements.compactMap { body($0, permits) })
        case .mapping(let entries):
            return .object(
                entries.compactMap { entry in
                    body(entry.value, permits).map { BodyMember(name: entry.key, value: $0) }
                })
        case .scalar:
            guard let value = json(node) else { return nil }
            guard case .string = value else { return .literal(value) }
            return template(node, permits).map { .text($0) }
        }
    }

    /// A mapping of names to templates; `checkName` reports names that can't be.
    func namedTemplates(
        _ node: Node, _ permits: Permits, checkName: (Node.Entry) -> Bool
    ) -> [NamedTemplate] {
        (entries(node) ?? []).compactMap { entry in
            guard checkName(entry), let value = template(entry.value, permits) else { return nil }
            return NamedTemplate(name: entry.key, value: value)
        }
    }

    /// Header fields; a name counts whatever its case.
    func headers(_ node: Node, _ permits: Permits) -> [NamedTemplate] {
        var known: Set<String> = []
        return namedTemplates(node, permits) { entry in
            guard headerName(entry.key, at: entry.position, entry.value.path) else { return false }
            guard known.insert(entry.key.lowercased()).inserted else {
                add(entry.position, entry.value.path, "header \(entry.key) appears twice")
                return false
            }
            return checkHeaderValue(entry.value)
        }
    }

    private func checkHeaderValue(_ node: Node) -> Bool {
        guard case .scalar(let text, _) = node.content,
            text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { return true }
        add(node, "a header's value must not hold control characters")
        return false
    }

    /// Reports a list that the file does not define.
    func isList(_ name: String, at node: Node) -> Bool {
        guard let lists = scope.lists, !lists.contains(name) else { return true }
        addUnknown("list", name, known: lists, at: node)
        return false
    }

    /// Reports a call that the file does not define.
    func isCall(_ name: String, at node: Node) -> Bool {
        guard let calls = scope.calls, !calls.contains(name) else { return true }
        addUnknown("call", name, known: calls, at: node)
        return false
    }
}
