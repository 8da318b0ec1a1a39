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
    /// That a token travels only where nobody listens is seen to by `checkAddresses`.
    func tokenURL(_ node: Node) -> String? {
        guard let text = text(node), holdsOnlyAttributes(text, at: node) else { return nil }
        // Unlike a base it is never added to, so it may end in a slash.
        if let problem = problem(inAddress: text.hasSuffix("/") ? String(text.dropLast()) : text) {
            add(node, "\(problem); expected https://host[:port]/path")
            return nil
        }
        return text
    }
}
