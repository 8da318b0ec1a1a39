import JSON

extension Form where Value == [NamedTemplate] {
    /// What the form of a token endpoint has of other keys.
    private static var ownParameters: [String] {
        [
            "assertion", "grant_type", "client_id", "client_secret", "refresh_token", "scope",
        ]
    }

    static let tokenParameters = named(
        but: ownParameters, "is sent already; write it beside token_url")

    /// What an assertion states, but for what changes with each one.
    static let claims = named(but: ["exp", "iat", "jti", "nbf"], "is made here")

    private static func named(but own: [String], _ reason: String) -> Form {
        Form(
            type: .named(.template, by: .notEmpty, isFilled: true, except: own),
            read: { node, reading in
                let parameters = reading.namedTemplates(node, .secret) { entry in
                    let isOwn = own.contains(entry.key)
                    if isOwn {
                        reading.add(
                            entry.position, entry.value.path,
                            "\"\(entry.key)\" \(reason)")
                    }
                    if entry.key.isEmpty {
                        reading.add(entry.position, entry.value.path, "expected a name")
                    }
                    return !isOwn && !entry.key.isEmpty
                }
                if case .mapping(let entries) = node.content, entries.isEmpty {
                    reading.add(node, "expected at least one entry")
                }
                return parameters
            }, write: NamedTemplate.written)
    }
}

extension NodeReading {
    /// A token travels only where nobody listens.
    func tokenURL(_ node: Node) -> String? {
        guard let text = text(node), holdsOnlyAttributes(text, at: node) else { return nil }
        // Unlike a base it is never added to, so it may end in a slash.
        if let problem = problem(inAddress: text.hasSuffix("/") ? String(text.dropLast()) : text) {
            add(node, "\(problem); expected https://host[:port]/path")
            return nil
        }
        let host = text.dropFirst("http://".count).prefix { $0 != "/" }
        let isLoopback = ["localhost", "127.0.0.1", "[::1]"].contains { name in
            host == name || host.hasPrefix(name + ":")
        }
        // Of a host that users choose the hosts decide, which are not known yet.
        guard text.hasPrefix("https://") || isLoopback || host.contains("{") else {
            add(node, "a token endpoint must be https, but for this machine's own addresses")
            return nil
        }
        return text
    }
}
