import JSON

/// Requests, calls, steps and conditions.
extension NodeReading {
    /// What is sent; the declaration of the keys has the methods that make sense here.
    func request(_ keys: Keys<some AskingKey>, _ allowed: Permits) -> Request? {
        let permits = allowed.subtracting(.chunk)
        let method = keys.word(.method)
        let path = keys.value(.path).flatMap { requestPath($0, permits) }
        let query = keys[.query].map { node in
            namedTemplates(node, permits) { entry in
                if entry.key.isEmpty { add(entry.position, entry.value.path, "expected a name") }
                return !entry.key.isEmpty
            }
        }
        let headers = keys[.headers].map { self.headers($0, permits.union(.secret)) }
        let body = keys[.body].flatMap { self.body($0, allowed.union(.list)) }
        let expect = keys.ints(.expect)
        if let node = keys[.body], method == "GET", keys[.method]?.isScalar("GET") ?? true {
            add(node, "a GET has no body; use query, or method: POST")
        }
        guard let method, let path else { return nil }
        return Request(
            method: method, path: path, query: query ?? [], headers: headers ?? [], body: body,
            expect: expect ?? [200])
    }

    func requestPath(_ node: Node, _ permits: Permits) -> Template? {
        guard let template = template(node, permits) else { return nil }
        let literals = template.pieces.compactMap { (piece) -> String? in
            guard case .literal(let text) = piece else { return nil }
            return text
        }
        guard case .literal(let first)? = template.pieces.first, first.hasPrefix("/") else {
            add(node, "expected a path that starts with /, found \(node.words)")
            return nil
        }
        // Byte by byte: beside a combining mark a '?' is another Character.
        if literals.contains(where: { $0.utf8.contains { "?#".utf8.contains($0) } }) {
            add(node, "a path holds no ? or #; put parameters under query")
            return nil
        }
        if literals.contains(where: { $0.utf8.contains { $0 <= 0x20 || $0 == 0x7F } }) {
            add(node, "a path holds no white space")
            return nil
        }
        if literals.contains(where: { $0.utf8.contains { $0 > 0x7F } }) {
            add(node, "a path holds ASCII only; write other letters as %XX")
            return nil
        }
        return template
    }

    /// The calls in file order, each with the placeholders of its request.
    func calls(_ node: Node?) -> [(call: Call, uses: [PlaceholderUse])] {
        guard let node else { return [] }
        return (entries(node) ?? []).compactMap { entry in
            guard isName(entry.key, at: entry.position, entry.value.path) else { return nil }
            let (call, uses) = collectingUses { self.call(entry) }
            return call.map { ($0, uses) }
        }
    }

    private func call(_ entry: Node.Entry) -> Call? {
        guard let keys = Keys(entry.value, self, of: CallKey.self) else { return nil }
        let request = request(keys, .call)
        let retries = keys.bool(.retry)
        let list = keys[.skipIfEmpty].flatMap { listName($0) }
        let gap = keys.duration(.minGap)
        let policy = keys.word(.onFailure, as: Call.FailurePolicy.self)
        return request.map {
            Call(
                name: entry.key, request: $0, retries: retries ?? true,
                skipIfEmpty: list, minGap: gap, onFailure: policy ?? .fail)
        }
    }

    /// The name of a list that the file defines.
    func listName(_ node: Node) -> String? {
        text(node).flatMap { isList($0, at: node) ? $0 : nil }
    }

    /// The name of a call that the file defines.
    func callName(_ node: Node) -> String? {
        text(node).flatMap { isCall($0, at: node) ? $0 : nil }
    }

    /// The steps in order; a condition may ask what the calls of earlier steps answered.
    func before(_ node: Node?) -> [BeforeStep] {
        guard let node else { return [] }
        var earlier: [String] = []
        return (list(node) ?? []).compactMap { element in
            if let word = element["cloudkit"], element["call"] == nil {
                return presetStep(element, word).map { BeforeStep(action: .preset($0), ifAny: []) }
            }
            guard
                let keys = Keys(
                    element, self, of: BeforeKey.self, only: BeforeKey.ofCalls,
                    variant: "a step that calls"),
                let (_, value) = keys.alternative()
            else { return nil }
            let call = callName(value)
            let (conditions, uses) = collectingUses {
                keys.elements(.ifAny)?.compactMap { condition($0) }
            }
            checkCalls(in: uses, ranBefore: scope.before == nil ? nil : earlier)
            guard let call else { return nil }
            earlier.append(call)
            return BeforeStep(action: .call(call), ifAny: conditions ?? [])
        }
    }

    /// One question; it is a mapping with a single key.
    func condition(_ node: Node) -> Condition? {
        guard let keys = Keys(node, self, of: ConditionKey.self),
            let (key, value) = keys.alternative()
        else { return nil }
        return switch key {
        case .equals: equals(value)
        case .neverSucceeded: callName(value).map { .neverSucceeded($0) }
        case .listChanged: listName(value).map { .listChanged($0) }
        case .tableEmpty: tableName(value).map { .tableEmpty($0) }
        }
    }

    private func equals(_ node: Node) -> Condition? {
        guard let pair = list(node) else { return nil }
        guard pair.count == 2 else {
            add(node, "expected two values to compare, found \(pair.count)")
            return nil
        }
        guard let left = template(pair[0], .call), let right = json(pair[1]) else { return nil }
        if left.placeholders.isEmpty {
            add(pair[0], "expected a placeholder, found \(pair[0].words)")
        }
        return .equals(left, right)
    }

    private func tableName(_ node: Node) -> String? {
        guard let name = name(node) else { return nil }
        guard let tables = scope.tables, !tables.contains(name) else { return name }
        addUnknown("table", name, known: tables, at: node)
        return nil
    }
}
