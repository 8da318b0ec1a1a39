import JSON

extension SessionSignIn {
    static let blank = SessionSignIn(
        login: .blank, tokenAt: .body(Path(steps: [])), sent: .bearer, lasts: .seconds(3600))

    /// The secrets that it comes of.
    public var secretNames: [String] {
        login.secretNames + (basic.map { $0.user.secretNames + $0.password.secretNames } ?? [])
    }

    /// All that its texts hold.
    public var placeholders: [Placeholder] {
        login.placeholders + (basic.map { $0.user.placeholders + $0.password.placeholders } ?? [])
    }
}

extension Mapping where Model == SessionSignIn.Basic {
    static let basic = Mapping(
        "session_basic", "What a login is signed with: `Authorization: Basic …`.",
        blank: SessionSignIn.Basic(user: .blank, password: .blank)
    ) {
        required("user", \.user, .template(.secret), "The name of the user.")
        usual("password", \.password, .template(.secret), without: "empty", "The password.")
            .when { !$0.password.pieces.isEmpty }
    }
}

extension SessionSignIn.Sent {
    static let bearer = SessionSignIn.Sent.header(
        "Authorization",
        value: Template(pieces: [.literal("Bearer "), .placeholder(.sessionToken)]))
}

/// `send` as a file writes it.
struct WrittenSend {
    var header: String?
    var query: String?
    var value = Template(pieces: [.placeholder(.sessionToken)])
}

extension Mapping where Model == WrittenSend {
    fileprivate static let send = Mapping(
        "send", "Where requests have the token of a session.", blank: WrittenSend(),
        oneOf: ["header", "query"]
    ) {
        optional("header", \.header, .ownHeaderName, "The header field.")
        optional("query", \.query, .notEmpty("expected a name"), "The parameter of the query.")
        standard(
            "value", \.value, .sessionValue,
            "What it holds: `{session.token}`, and secrets or other text around it.")
    }
}

extension Form where Value == SessionSignIn.Sent {
    static let send = Mapping<WrittenSend>.send.form.map(
        { written, _ -> SessionSignIn.Sent? in
            if let name = written.query { return .query(name, value: written.value) }
            return written.header.map { .header($0, value: written.value) }
        },
        back: { sent in
            switch sent {
            case .header(let name, let value): WrittenSend(header: name, value: value)
            case .query(let name, let value): WrittenSend(query: name, value: value)
            }
        })
}

extension Form where Value == Template {
    /// What is sent of a session.
    fileprivate static let sessionValue = Form(
        type: .template,
        read: { node, reading in
            guard let template = reading.template(node, [.secret, .session]) else { return nil }
            if template.placeholders.contains(.sessionToken) { return template }
            reading.add(node, "{session.token} is never sent, so that no request is signed")
            return nil
        }, write: { .text($0) })
}

extension Mapping where Model == SessionSignIn.TokenPlace {
    fileprivate static let elsewhere = Mapping(
        "session_token", "Where a session's token is, when it is not in the body.",
        blank: .header(""), oneOf: ["header", "cookie"]
    ) {
        one(
            "header", \.self, .headerName, { .header($0) },
            { if case .header(let name) = $0 { name } else { nil } },
            "The header field that holds it.")
        one(
            "cookie", \.self, .headerName, { .cookie($0) },
            { if case .cookie(let name) = $0 { name } else { nil } },
            "The cookie that holds it.")
    }
}

extension Form where Value == SessionSignIn.TokenPlace {
    static let sessionToken = Form(
        type: .anyOf([.formed(.innerPath), Mapping<Value>.elsewhere.form.type]),
        read: { node, reading in
            if case .mapping = node.content { return Mapping<Value>.elsewhere.read(node, reading) }
            return reading.innerPath(node).map { .body($0) }
        },
        write: { place in
            if case .body(let path) = place { return .text(path) }
            return Mapping<Value>.elsewhere.form.write(place)
        })
}
