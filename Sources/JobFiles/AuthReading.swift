/// `auth`: the type decides the other keys.
extension NodeReading {
    /// How a source's requests sign in; a preset has sign-ins of its own.
    func authentication(_ source: Keys<SourceKey>) -> Authentication? {
        guard let node = source[.auth] else {
            guard scope.isCloudKit else { return Authentication.none }
            return source.required(.auth).flatMap { _ in nil }
        }
        guard let (type, typeNode, keys) = variant(node, of: AuthKey.self, deciding: .type) else {
            return nil
        }
        let context = AuthKey.variants?.all.first { $0.word == type }?.context ?? .anywhere
        if !context.fits(isPreset: scope.isCloudKit) {
            add(
                typeNode,
                scope.isCloudKit
                    ? "preset cloudkit signs in with cloudkit_server or cloudkit_user, "
                        + "not \"\(type)\""
                    : "type \"\(type)\" needs source.preset: cloudkit")
        }
        return authentication(type, keys)
    }

    private func authentication(_ type: String, _ keys: Keys<AuthKey>) -> Authentication? {
        switch type {
        case "basic":
            let keys = keys.and(BasicKey.self)
            let user = keys.value(.user).flatMap { template($0, .secret) }
            let password = keys.value(.password).flatMap { secret($0) }
            guard let user, let password else { return nil }
            return .basic(user: user, password: password)
        case "bearer":
            return keys.and(BearerKey.self).value(.token).flatMap { secret($0) }
                .map { .bearer(token: $0) }
        case "header", "query":
            let keys = keys.and(ParameterKey.self)
            let name = keys.value(.name)
                .flatMap { authenticationName($0, isHeader: type == "header") }
            let value = keys.value(.value).flatMap { secret($0) }
            guard let name, let value else { return nil }
            return type == "header"
                ? .header(name: name, value: value) : .query(name: name, value: value)
        case "oauth2_client": return oauth2Client(keys.and(OAuth2ClientKey.self))
        case "oauth2_refresh": return oauth2Refresh(keys.and(OAuth2RefreshKey.self))
        case "cloudkit_server": return cloudkitServer(keys.and(CloudKitServerKey.self), keys[.type])
        case "cloudkit_user":
            let keys = keys.and(CloudKitUserKey.self)
            let apiToken = keys.value(.apiToken).flatMap { secret($0) }
            let token = keys.value(.webAuthToken).flatMap { secretName($0) }
            guard let rotates = keys.bool(.rotates), let apiToken, let token else { return nil }
            return .cloudkitUser(apiToken: apiToken, webAuthToken: token, rotates: rotates)
        default: return Authentication.none
        }
    }

    private func cloudkitServer(
        _ keys: Keys<CloudKitServerKey>, _ type: Node?
    ) -> Authentication? {
        let keyID = keys.value(.keyID).flatMap { template($0, .secret) }
        let privateKey = keys.value(.privateKey).flatMap { secret($0) }
        if let address = scope.address, address.database != .public, let type {
            add(
                type,
                "a server's key reaches the public database only, not the "
                    + "\(address.database.rawValue) one; expected cloudkit_user")
        }
        guard let keyID, let privateKey else { return nil }
        return .cloudkitServer(keyID: keyID, privateKey: privateKey)
    }

    /// A client without a user must prove itself.
    private func oauth2Client(_ keys: Keys<OAuth2ClientKey>) -> Authentication? {
        let url = keys.value(.tokenURL).flatMap { tokenURL($0) }
        let id = keys.value(.clientID).flatMap { template($0, .secret) }
        let secret = keys.value(.clientSecret).flatMap { self.secret($0) }
        let scope = keys.text(.scope)
        let clientAuth = keys.word(.clientAuth, as: OAuth2.ClientAuth.self)
        let parameters = keys[.parameters].map { tokenParameters($0, isOfUser: false) }
        guard let url, let id, let secret else { return nil }
        return .oauth2Client(
            OAuth2(
                tokenURL: url, clientID: id, clientSecret: secret, scope: scope,
                clientAuth: clientAuth ?? .basic, parameters: parameters ?? []))
    }

    /// A client with a refresh token may be a public one.
    private func oauth2Refresh(_ keys: Keys<OAuth2RefreshKey>) -> Authentication? {
        let url = keys.value(.tokenURL).flatMap { tokenURL($0) }
        let id = keys.value(.clientID).flatMap { template($0, .secret) }
        let secret = keys[.clientSecret].map { self.secret($0) }
        let token = keys.value(.refreshToken).flatMap { secretName($0) }
        let scope = keys.text(.scope)
        let clientAuth = keys.word(.clientAuth, as: OAuth2.ClientAuth.self)
        if let node = keys[.clientAuth], secret == nil {
            add(node, "a client without client_secret has nothing to prove; leave client_auth out")
        }
        let parameters = keys[.parameters].map { tokenParameters($0, isOfUser: true) }
        guard let url, let id, secret != .some(nil), let token else { return nil }
        return .oauth2Refresh(
            OAuth2(
                tokenURL: url, clientID: id, clientSecret: secret ?? nil, scope: scope,
                clientAuth: clientAuth ?? .basic, parameters: parameters ?? []),
            refreshToken: token)
    }

    /// What else the form holds; a token of the client's own is shared by all users, so that nothing of one may be in it.
    private func tokenParameters(_ node: Node, isOfUser: Bool) -> [NamedTemplate] {
        let parameters = namedTemplates(node, .secret) { entry in
            let isOwn = OAuth2Keys.ownParameters.contains(entry.key)
            if isOwn {
                add(
                    entry.position, entry.value.path,
                    "\"\(entry.key)\" is sent already; write it beside token_url")
            }
            if entry.key.isEmpty { add(entry.position, entry.value.path, "expected a name") }
            return !isOwn && !entry.key.isEmpty
        }
        if case .mapping(let entries) = node.content, entries.isEmpty {
            add(node, "expected at least one entry")
        }
        for parameter in parameters where !isOfUser {
            let name = parameter.value.placeholders.lazy.compactMap { placeholder in
                if case .user(let name) = placeholder { name } else { nil }
            }.first
            if let name, let location = node[parameter.name] {
                add(
                    location,
                    "a client's own token is shared by all users; {user.\(name)} is one's own")
            }
        }
        return parameters
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
