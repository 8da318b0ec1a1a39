/// `schedule` and `source`.
extension Reading {
    func schedule(_ node: Node) -> Schedule? {
        guard
            let keys = Keys(
                node, self, known: ["every", "spread", "deadline", "if_running", "requires"])
        else { return nil }
        let every = keys.required("every").flatMap { duration($0, .seconds(1) ... .days(30)) }
        let spread = keys["spread"].flatMap { word($0, "spread", as: Schedule.Spread.self) }
        let deadlineNode = keys.required("deadline")
        let deadline = deadlineNode.flatMap { duration($0, .seconds(1) ... .hours(24)) }
        let skips = keys["if_running"].map { choice($0, "value", of: ["skip"]) }
        let requires = keys["requires"].map { requirements($0) }
        guard let every, let deadline, let deadlineNode else { return nil }
        if skips == nil, deadline >= every {
            add(
                deadlineNode,
                "a run may last as long as the period \(every.jobFileText); "
                    + "add if_running: skip or shorten it")
        }
        return Schedule(
            every: every, spread: spread ?? .user, deadline: deadline, requires: requires ?? [],
            triggers: [])
    }

    private func requirements(_ node: Node) -> [Requirement] {
        (list(node) ?? []).compactMap { element in
            guard let keys = Keys(element, self, known: ["secret", "user"]),
                let (key, value) = keys.exactlyOne(of: ["secret", "user"]), let name = name(value)
            else { return nil }
            return key == "secret" ? .secret(name) : .user(name)
        }
    }

    func source(_ node: Node) -> Source? {
        guard
            let keys = Keys(
                node, self, known: ["id", "base", "auth", "timeout", "retry", "rate", "headers"])
        else { return nil }
        let id = keys.required("id").flatMap { sourceID($0) }
        let base = keys.required("base").flatMap { baseURL($0) }
        let auth = keys["auth"].map { authentication($0) } ?? Authentication.none
        let timeout = keys["timeout"].map { duration($0, .milliseconds(100) ... .minutes(10)) }
        let retry = keys["retry"].map { retryRule($0) }
        let rate = keys["rate"].flatMap { self.rate($0) }
        let headers = keys["headers"].map { self.headers($0, .secret) }
        guard let id, let base, let auth else { return nil }
        return Source(
            id: id, base: base, preset: nil, auth: auth, timeout: (timeout ?? nil) ?? .seconds(30),
            retry: (retry ?? nil) ?? .standard, rate: rate, headers: headers ?? [])
    }

    private func sourceID(_ node: Node) -> String? {
        guard let text = text(node) else { return nil }
        guard isNameText(String(text.map { $0 == "-" ? "_" : $0 })), !text.hasPrefix("-") else {
            add(node, "\"\(excerpt(of: text))\" is no source id, expected one of a-z, 0-9, _ and -")
            return nil
        }
        return text
    }

    private func baseURL(_ node: Node) -> String? {
        guard let text = text(node) else { return nil }
        if let problem = problem(inBase: text) {
            add(node, "\(problem); expected http(s)://host[:port][/prefix]")
            return nil
        }
        return text
    }

    private func problem(inBase text: String) -> String? {
        guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else {
            return "\"\(excerpt(of: text))\" is no http or https URL"
        }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        if rest.contains("{") { return "a base holds no placeholders" }
        if rest.contains("?") { return "a base has no query" }
        if rest.contains("#") { return "a base has no fragment" }
        if authority.contains("@") { return "a base holds no user or password" }
        if rest.hasSuffix("/") { return "a base has no trailing slash" }
        let isClean = rest.utf8.allSatisfy {
            isLowercase($0 | 0x20) || isDigit($0) || "-._~!$&'()*+,;=:@%/[]".utf8.contains($0)
        }
        return isClean && isAuthority(authority) ? nil : "\"\(excerpt(of: text))\" is no URL"
    }

    private func isAuthority(_ text: Substring) -> Bool {
        let host: Substring
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[...end]
        } else {
            host = text.prefix { $0 != ":" }
            guard
                host.utf8.allSatisfy({
                    isLowercase($0 | 0x20) || isDigit($0) || "-._".utf8.contains($0)
                })
            else { return false }
        }
        let port = text.dropFirst(host.count)
        guard !host.isEmpty else { return false }
        return port.isEmpty
            || (port.hasPrefix(":") && port.dropFirst().utf8.allSatisfy(isDigit)
                && (1...65_535).contains(Int(port.dropFirst()) ?? 0))
    }

    private func rate(_ node: Node) -> Rate? {
        guard
            let keys = Keys(
                node, self, known: ["per_second", "concurrent", "concurrent_per_user"])
        else { return nil }
        return Rate(
            perSecond: keys["per_second"].flatMap { double($0, 0.001...100_000) },
            concurrent: keys["concurrent"].flatMap { int($0, 1...10_000) },
            concurrentPerUser: keys["concurrent_per_user"].flatMap { int($0, 1...10_000) })
    }
}

/// `auth`: the type decides the other keys.
extension Reading {
    private static let keysByType: [String: [String]] = [
        "none": [], "basic": ["user", "password"], "bearer": ["token"],
        "header": ["name", "value"], "query": ["name", "value"],
    ]

    func authentication(_ node: Node) -> Authentication? {
        guard let entries = entries(node) else { return nil }
        guard let typeNode = entries.first(where: { $0.key == "type" })?.value else {
            add(node, "missing key \"type\"")
            return nil
        }
        let later = ["oauth2_client", "oauth2_refresh", "cloudkit_server", "cloudkit_user"]
        let types = ["none", "basic", "bearer", "header", "query"]
        guard let type = choice(typeNode, "type", of: types, later: later),
            let own = Self.keysByType[type],
            let keys = Keys(
                node, self, known: ["type"] + own, variant: "type \"\(type)\"",
                elsewhere: ["user", "password", "token", "name", "value"])
        else { return nil }
        switch type {
        case "basic":
            let user = keys.required("user").flatMap { template($0, .secret) }
            let password = keys.required("password").flatMap { secret($0) }
            guard let user, let password else { return nil }
            return .basic(user: user, password: password)
        case "bearer":
            return keys.required("token").flatMap { secret($0) }.map { .bearer(token: $0) }
        case "header", "query":
            let name = keys.required("name").flatMap {
                authenticationName($0, isHeader: type == "header")
            }
            let value = keys.required("value").flatMap { secret($0) }
            guard let name, let value else { return nil }
            return type == "header"
                ? .header(name: name, value: value) : .query(name: name, value: value)
        default: return Authentication.none
        }
    }

    private func authenticationName(_ node: Node, isHeader: Bool) -> String? {
        guard let text = text(node) else { return nil }
        return !isHeader || headerName(text, at: node.position, node.path) ? text : nil
    }

    /// A job file is no place for a secret, so what proves identity must be a placeholder.
    private func secret(_ node: Node) -> Template? {
        guard let template = template(node, .secret) else { return nil }
        let hasSecret = template.placeholders.contains {
            if case .secret = $0 { true } else { false }
        }
        if !hasSecret { add(node, "expected a placeholder {secret.name}, found a text") }
        return hasSecret ? template : nil
    }
}
