import JSON

/// Requests, calls, steps and conditions.
extension Reading {
    static let requestKeys = ["method", "path", "query", "headers", "body"]

    /// What is sent; `methods` are the ones that make sense here.
    func request(_ keys: Keys, methods: [String], _ allowed: Permits) -> Request? {
        let permits = allowed.subtracting(.chunk)
        let method = keys["method"].map { choice($0, "method", of: methods) } ?? "GET"
        let path = keys.required("path").flatMap { requestPath($0, permits) }
        let query = keys["query"].map { node in
            namedTemplates(node, permits) { entry in
                if entry.key.isEmpty { add(entry.position, entry.value.path, "expected a name") }
                return !entry.key.isEmpty
            }
        }
        let headers = keys["headers"].map { self.headers($0, permits.union(.secret)) }
        let body = keys["body"].flatMap { self.body($0, allowed.union(.list)) }
        if let node = keys["body"], method == "GET" {
            add(node, "a GET has no body; use query, or method: POST")
        }
        guard let method, let path else { return nil }
        return Request(
            method: method, path: path, query: query ?? [], headers: headers ?? [], body: body)
    }

    private func requestPath(_ node: Node, _ permits: Permits) -> Template? {
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
        let known =
            Self.requestKeys + ["expect", "retry", "skip_if_empty", "min_gap", "on_failure"]
        guard let keys = Keys(entry.value, self, known: known) else { return nil }
        let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
        let request = request(keys, methods: methods, .call)
        let expect = keys["expect"].flatMap { filledList($0) }?.compactMap { int($0, 100...599) }
        let retries = keys["retry"].flatMap { bool($0) }
        let list = keys["skip_if_empty"].flatMap { listName($0) }
        let gap = keys["min_gap"].flatMap { duration($0, .seconds(1) ... .days(30)) }
        let policy = keys["on_failure"].flatMap {
            word($0, "policy", as: Call.FailurePolicy.self)
        }
        return request.map {
            Call(
                name: entry.key, request: $0, expect: expect ?? [200], retries: retries ?? true,
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
            guard let keys = Keys(element, self, known: ["call", "cloudkit", "if_any"]),
                let (_, value) = keys.exactlyOne(of: ["call", "cloudkit"])
            else { return nil }
            let call = callName(value)
            let (conditions, uses) = collectingUses {
                keys["if_any"].flatMap { filledList($0) }?.compactMap { condition($0) }
            }
            checkCalls(in: uses, ranBefore: scope.before == nil ? nil : earlier)
            guard let call else { return nil }
            earlier.append(call)
            return BeforeStep(action: .call(call), ifAny: conditions ?? [])
        }
    }

    /// One question; it is a mapping with a single key.
    func condition(_ node: Node) -> Condition? {
        let known = ["equals", "never_succeeded", "list_changed", "table_empty"]
        guard let keys = Keys(node, self, known: known),
            let (key, value) = keys.exactlyOne(of: known)
        else { return nil }
        switch key {
        case "equals": return equals(value)
        case "never_succeeded": return callName(value).map { .neverSucceeded($0) }
        case "list_changed": return listName(value).map { .listChanged($0) }
        default: return tableName(value).map { .tableEmpty($0) }
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
