/// `auth`: the type decides the other keys.
extension Reading {
    private static let keysByType: KeyValuePairs<String, [String]> = [
        "none": [], "basic": ["user", "password"], "bearer": ["token"],
        "header": ["name", "value"], "query": ["name", "value"],
        "oauth2_client": ["token_url", "client_id", "client_secret", "scope"],
        "oauth2_refresh": ["token_url", "client_id", "client_secret", "refresh_token", "scope"],
        "cloudkit_server": ["key_id", "private_key"],
        "cloudkit_user": ["api_token", "web_auth_token", "rotates"],
    ]

    /// How a source's requests sign in; a preset has sign-ins of its own.
    func authentication(_ source: Keys) -> Authentication? {
        guard let node = source["auth"] else {
            guard scope.isCloudKit else { return Authentication.none }
            return source.required("auth").flatMap { _ in nil }
        }
        guard let entries = entries(node) else { return nil }
        guard let typeNode = entries.first(where: { $0.key == "type" })?.value else {
            add(node, "missing key \"type\"")
            return nil
        }
        guard let type = choice(typeNode, "type", of: Self.keysByType.map(\.key)),
            let own = Self.keysByType.first(where: { $0.key == type })?.value,
            let keys = Keys(
                node, self, known: ["type"] + own, variant: "type \"\(type)\"",
                elsewhere: Self.keysByType.flatMap(\.value))
        else { return nil }
        let isPreset = type.hasPrefix("cloudkit_")
        if isPreset != scope.isCloudKit {
            add(
                typeNode,
                isPreset
                    ? "type \"\(type)\" needs source.preset: cloudkit"
                    : "preset cloudkit signs in with cloudkit_server or cloudkit_user, "
                        + "not \"\(type)\"")
        }
        return authentication(type, keys)
    }

    private func authentication(_ type: String, _ keys: Keys) -> Authentication? {
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
        case "oauth2_client": return oauth2(keys, isClient: true).map { .oauth2Client($0) }
        case "oauth2_refresh":
            let token = keys.required("refresh_token").flatMap { secretName($0) }
            guard let server = oauth2(keys, isClient: false), let token else { return nil }
            return .oauth2Refresh(server, refreshToken: token)
        case "cloudkit_server": return cloudkitServer(keys)
        case "cloudkit_user":
            let apiToken = keys.required("api_token").flatMap { secret($0) }
            let token = keys.required("web_auth_token").flatMap { secretName($0) }
            let rotates = keys["rotates"].flatMap { bool($0) }
            guard let apiToken, let token else { return nil }
            return .cloudkitUser(
                apiToken: apiToken, webAuthToken: token, rotates: rotates ?? true)
        default: return Authentication.none
        }
    }

    private func cloudkitServer(_ keys: Keys) -> Authentication? {
        let keyID = keys.required("key_id").flatMap { template($0, .secret) }
        let privateKey = keys.required("private_key").flatMap { secret($0) }
        if let place = scope.place, place.database != .public, let node = keys["type"] {
            add(
                node,
                "a server's key reaches the public database only, not the "
                    + "\(place.database.rawValue) one; expected cloudkit_user")
        }
        guard let keyID, let privateKey else { return nil }
        return .cloudkitServer(keyID: keyID, privateKey: privateKey)
    }

    /// A client without a user must prove itself; one with a refresh token may be a public one.
    private func oauth2(_ keys: Keys, isClient: Bool) -> OAuth2? {
        let url = keys.required("token_url").flatMap { tokenURL($0) }
        let id = keys.required("client_id").flatMap { template($0, .secret) }
        let secretNode =
            isClient ? keys.required("client_secret") : keys["client_secret"]
        let secret = secretNode.map { self.secret($0) }
        let scope = keys["scope"].flatMap { text($0) }
        guard let url, let id, secret != .some(nil), !isClient || secret != nil else { return nil }
        return OAuth2(tokenURL: url, clientID: id, clientSecret: secret ?? nil, scope: scope)
    }

    /// A token travels only where nobody listens.
    private func tokenURL(_ node: Node) -> String? {
        guard let text = text(node) else { return nil }
        // Unlike a base it is never added to, so it may end in a slash.
        if let problem = problem(inBase: text.hasSuffix("/") ? String(text.dropLast()) : text) {
            add(node, "\(problem); expected https://host[:port]/path")
            return nil
        }
        let host = text.dropFirst("http://".count).prefix { $0 != "/" }
        let isLoopback = ["localhost", "127.0.0.1", "[::1]"].contains { name in
            host == name || host.hasPrefix(name + ":")
        }
        guard text.hasPrefix("https://") || isLoopback else {
            add(node, "a token endpoint must be https, but for this machine's own addresses")
            return nil
        }
        return text
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

    /// A secret that the source may replace, so it is one whole secret.
    private func secretName(_ node: Node) -> String? {
        guard let template = secret(node) else { return nil }
        guard case .secret(let name)? = template.lonePlaceholder else {
            add(node, "expected exactly one {secret.name}, since the source may replace it")
            return nil
        }
        return name
    }
}
