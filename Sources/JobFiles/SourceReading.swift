import Basics

/// `source`.
extension NodeReading {
    func source(_ node: Node) -> Source? {
        guard
            let keys = Keys<SourceKey>(
                node, self, isPreset: scope.isCloudKit, variant: "a source without preset")
        else { return nil }
        let id = keys.value(.id).flatMap { sourceID($0) }
        let preset = keys[.preset].map { _ in self.preset(keys) }
        let standard = scope.isCloudKit ? RetryRule.cloudkit : .standard
        let base =
            keys[.base].map { baseURL($0) }
            ?? (scope.isCloudKit
                ? CloudKitAddress.base : keys.required(.base).flatMap { baseURL($0) })
        let auth = authentication(keys)
        let timeout = keys.duration(.timeout)
        let retry = keys[.retry].map { Mapping<RetryRule>.retry.read($0, self, from: standard) }
        let rate = keys[.rate].flatMap { Mapping<Rate>.rate.read($0, self) }
        let headers = keys[.headers].map { self.headers($0, .secret) }
        let zone = keys.value(.zone).flatMap { self.zone($0) }
        guard let id, let base, let auth, let timeout, preset != .some(nil) else { return nil }
        return Source(
            id: id, base: base, preset: preset ?? nil, auth: auth,
            timeout: timeout, retry: (retry ?? nil) ?? standard,
            rate: rate, headers: headers ?? [], zone: zone)
    }

    /// How a source's requests sign in; a preset has sign-ins of its own.
    private func authentication(_ source: Keys<SourceKey>) -> Authentication? {
        if let node = source[.auth] { return Form<Authentication>.auth.read(node, self) }
        guard scope.isCloudKit else { return Authentication.none }
        return source.required(.auth).flatMap { _ in nil }
    }

    private func zone(_ node: Node) -> ZoneRule? {
        guard let template = template(node, []) else { return nil }
        if case .user(let name) = template.lonePlaceholder { return .attribute(name) }
        guard let name = text(node), TimeZone(named: name) != nil else {
            add(
                node,
                "\(node.words) is no time zone, expected one such as Europe/Berlin, +02:00 or {user.time_zone}"
            )
            return nil
        }
        return .named(name)
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
    private func preset(_ keys: Keys<SourceKey>) -> Preset? {
        guard keys.word(.preset) != nil else { return nil }
        let container = keys.value(.container).flatMap { self.container($0) }
        let environment = keys.word(.environment, as: CloudKitAddress.Environment.self)
        let database = keys.word(.database, as: CloudKitAddress.Database.self)
        guard let container, let environment, let database else { return nil }
        let address = CloudKitAddress(
            container: container, environment: environment, database: database)
        scope.address = address
        return .cloudkit(address)
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
}
