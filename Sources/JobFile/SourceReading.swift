/// `schedule` and `source`.
extension Reading {
    func schedule(_ node: Node) -> Schedule? {
        guard
            let keys = Keys(
                node, self,
                known: [
                    "every", "spread", "deadline", "if_running", "requires", "triggers",
                    "slow_down",
                ])
        else { return nil }
        let every = keys.required("every").flatMap { duration($0, .seconds(1) ... .days(30)) }
        let spread = keys["spread"].flatMap { word($0, "spread", as: Schedule.Spread.self) }
        let deadlineNode = keys.required("deadline")
        let deadline = deadlineNode.flatMap { duration($0, .seconds(1) ... .hours(24)) }
        let skips = keys["if_running"].map { choice($0, "value", of: ["skip"]) }
        let requires = keys["requires"].map { requirements($0) }
        let triggers = keys["triggers"].map { self.triggers($0) }
        let slowing = keys["slow_down"].map { self.slowing($0, every) }
        guard let every, let deadline, let deadlineNode else { return nil }
        if skips == nil, deadline >= every {
            add(
                deadlineNode,
                "a run may last as long as the period \(every.jobFileText); "
                    + "add if_running: skip or shorten it")
        }
        return Schedule(
            every: every, spread: spread ?? .user, deadline: deadline, requires: requires ?? [],
            triggers: triggers ?? [], slowing: slowing ?? nil)
    }

    private func slowing(_ node: Node, _ period: Duration?) -> Slowing? {
        guard let keys = Keys(node, self, known: ["after", "every"]) else { return nil }
        let after = keys.required("after").flatMap { duration($0, .hours(1) ... .days(366)) }
        let everyNode = keys.required("every")
        let every = everyNode.flatMap { duration($0, .seconds(1) ... .days(366)) }
        guard let after, let every, let everyNode, let period else { return nil }
        guard every > period else {
            add(
                everyNode,
                "a job that slows down becomes due less often than every \(period.jobFileText)")
            return nil
        }
        return Slowing(after: after, every: every)
    }

    private func requirements(_ node: Node) -> [Requirement] {
        (list(node) ?? []).compactMap { element in
            guard let keys = Keys(element, self, known: ["secret", "user"]),
                let (key, value) = keys.exactlyOne(of: ["secret", "user"]), let name = name(value)
            else { return nil }
            if key == "user", scope.isTenant {
                add(value, "a job of scope tenant is of no user; expected secret")
            }
            return key == "secret" ? .secret(name) : .user(name)
        }
    }

    private func triggers(_ node: Node) -> [Trigger] {
        var events: Set<String> = []
        return (list(node) ?? []).compactMap { element in
            guard let keys = Keys(element, self, known: ["event", "debounce", "cancel_on"])
            else { return nil }
            let event = keys.required("event").flatMap { name($0) }
            let debounce = keys["debounce"].map { duration($0, .zero ... .hours(1)) }
            let cancelOn = keys["cancel_on"].flatMap { name($0) }
            guard let event else { return nil }
            if !events.insert(event).inserted, let place = keys["event"] {
                add(place, "event \"\(event)\" appears twice")
            }
            if cancelOn == event, let place = keys["cancel_on"] {
                add(place, "an event can't undo itself; expected another one")
            }
            return Trigger(event: event, debounce: (debounce ?? nil) ?? .zero, cancelOn: cancelOn)
        }
    }

    func source(_ node: Node) -> Source? {
        let own = ["id", "base", "preset", "auth", "timeout", "retry", "rate", "headers"]
        let placeKeys = ["container", "environment", "database"]
        guard
            let keys = Keys(
                node, self, known: scope.isCloudKit ? own + placeKeys : own,
                variant: "a source without preset", elsewhere: placeKeys)
        else { return nil }
        let id = keys.required("id").flatMap { sourceID($0) }
        let preset = keys["preset"].map { self.preset($0, keys) }
        let standard = scope.isCloudKit ? RetryRule.cloudkit : .standard
        let base =
            keys["base"].map { baseURL($0) }
            ?? (scope.isCloudKit
                ? CloudKitPlace.base : keys.required("base").flatMap { baseURL($0) })
        let auth = authentication(keys)
        let timeout = keys["timeout"].map { duration($0, .milliseconds(100) ... .minutes(10)) }
        let retry = keys["retry"].map { retryRule($0, standard) }
        let rate = keys["rate"].flatMap { self.rate($0) }
        let headers = keys["headers"].map { self.headers($0, .secret) }
        guard let id, let base, let auth, preset != .some(nil) else { return nil }
        return Source(
            id: id, base: base, preset: preset ?? nil, auth: auth,
            timeout: (timeout ?? nil) ?? .seconds(30), retry: (retry ?? nil) ?? standard,
            rate: rate, headers: headers ?? [])
    }

    private func sourceID(_ node: Node) -> String? {
        guard let text = text(node) else { return nil }
        guard isNameText(String(text.map { $0 == "-" ? "_" : $0 })), !text.hasPrefix("-") else {
            add(node, "\"\(excerpt(of: text))\" is no source id, expected one of a-z, 0-9, _ and -")
            return nil
        }
        return text
    }

    /// The preset and the keys that only it has.
    private func preset(_ node: Node, _ keys: Keys) -> Preset? {
        guard choice(node, "preset", of: ["cloudkit"]) != nil else { return nil }
        let container = keys.required("container").flatMap { self.container($0) }
        let environment = keys.required("environment")
            .flatMap { word($0, "environment", as: CloudKitPlace.Environment.self) }
        let database = keys.required("database")
            .flatMap { word($0, "database", as: CloudKitPlace.Database.self) }
        guard let container, let environment, let database else { return nil }
        let place = CloudKitPlace(
            container: container, environment: environment, database: database)
        scope.place = place
        return .cloudkit(place)
    }

    private func container(_ node: Node) -> String? {
        guard let text = text(node) else { return nil }
        let name = text.dropFirst("iCloud.".count)
        let isClean = name.utf8.allSatisfy {
            isLowercase($0 | 0x20) || isDigit($0) || "-.".utf8.contains($0)
        }
        guard text.hasPrefix("iCloud."), !name.isEmpty, isClean else {
            add(
                node,
                "\"\(excerpt(of: text))\" is no container, expected one such as iCloud.com.example.app"
            )
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

    /// Says what makes a text no address; nil when it is one.
    func problem(inBase text: String) -> String? {
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
