import JSON
import JobFiles

extension StreamContext {
    /// How the stream's requests prove whose they are, as `source.auth`.
    ///
    /// `chosen` names one of several that a user may choose among.
    func authentication(_ component: JSONValue?, chosen: String?) throws(Untranslatable)
        -> JSONValue
    {
        guard let component, component != .null else { return .auth("none") }
        parameters = component["$parameters"] ?? .null
        switch component.type(usually: "NoAuth") {
        case "NoAuth": return .auth("none")
        case "BearerAuthenticator":
            return .auth("bearer", ("token", try secretText(component["api_token"])))
        case "BasicHttpAuthenticator": return try basic(component)
        case "ApiKeyAuthenticator": return try apiKey(component)
        case "OAuthAuthenticator": return try oauth(component)
        case "SessionTokenAuthenticator": return try session(component)
        case "SelectiveAuthenticator": return try selected(component, chosen: chosen)
        case let other:
            throw Untranslatable(other, "no sign-in of a job file does that")
        }
    }

    private func selected(_ component: JSONValue, chosen: String?) throws(Untranslatable)
        -> JSONValue
    {
        let all = component["authenticators"]?.members ?? []
        let wanted = chosen.map { name in all.filter { $0.name == name } } ?? all
        var reason: Untranslatable?
        for candidate in wanted {
            let before = (inputs, secrets, login)
            do {
                let auth = try authentication(candidate.value, chosen: nil)
                let others = all.map(\.name).filter { $0 != candidate.name }
                if !others.isEmpty {
                    note(
                        "signs in by \(candidate.name); there are also: \(others.joined(separator: ", ")) (--auth NAME)"
                    )
                }
                return auth
            } catch {
                (inputs, secrets, login) = before
                reason = reason ?? error
            }
        }
        throw reason
            ?? Untranslatable(
                "SelectiveAuthenticator", "has no such way to sign in",
                nearest: "--auth with one of \(all.map(\.name).joined(separator: ", "))")
    }

    /// What proves identity: each value of the configuration in it is a secret, whatever the spec says.
    private func secretText(_ value: JSONValue?) throws(Untranslatable) -> String {
        let text = try signInText(value, asSecret: true)
        guard text.contains("{secret.") else {
            throw Untranslatable(short(text), "a sign-in without a secret of the configuration")
        }
        return text
    }

    private func signInText(_ value: JSONValue?, asSecret: Bool) throws(Untranslatable) -> String {
        let mixed = try substituted(value?.scalarText ?? "")
        var pieces: [Template.Piece] = []
        for part in mixed.parts {
            switch part {
            case .text(let text): pieces.append(.literal(text))
            case .expression(let expression, let written):
                pieces += try signInPieces(expression, written, asSecret: asSecret)
            }
        }
        return Template(pieces: pieces.joined).description
    }

    private func signInPieces(
        _ expression: Expression, _ written: String, asSecret: Bool
    ) throws(Untranslatable) -> [Template.Piece] {
        if case .binary("+", let left, let right) = expression {
            return try signInPieces(left, written, asSecret: asSecret)
                + signInPieces(right, written, asSecret: asSecret)
        }
        if let place = expression.reference, place.root == "config", !place.path.isEmpty {
            // Where a second place is named, the first one is what a user of today has.
            if let other = place.fallback, other.reference?.root != "config" {
                throw Untranslatable(written, "a default in a sign-in")
            }
            return [.placeholder(try placeholder(place.path, asSecret: asSecret))]
        }
        return try pieces(of: expression, written)
    }

    private func basic(_ component: JSONValue) throws(Untranslatable) -> JSONValue {
        let user = try basicPart(component["username"], isPassword: false)
        let password = try basicPart(component["password"], isPassword: true)
        guard user.contains("{secret.") || password.contains("{secret.") else {
            // One of the two is the secret, and a spec that names neither means the password.
            let secret = try secretText(component[password.isEmpty ? "username" : "password"])
            return password.isEmpty
                ? .auth("basic", ("user", secret))
                : .auth("basic", ("user", user), ("password", secret))
        }
        return password.isEmpty
            ? .auth("basic", ("user", user))
            : .auth("basic", ("user", user), ("password", password))
    }

    /// A password that the spec knows nothing of is none.
    private func basicPart(_ value: JSONValue?, isPassword: Bool) throws(Untranslatable) -> String {
        let mixed = try substituted(value?.scalarText ?? "")
        if isPassword, let place = mixed.alone?.reference, place.root == "config",
            config.entry(place.path) == nil
        {
            return ""
        }
        return try signInText(value, asSecret: false)
    }

    private func apiKey(_ component: JSONValue) throws(Untranslatable) -> JSONValue {
        let value = try secretText(component["api_token"])
        guard let place = component["inject_into"], place != .null else {
            let name = try template(component["header"]?.string ?? "").description
            guard !name.isEmpty else {
                throw Untranslatable("ApiKeyAuthenticator", "names no header")
            }
            return .auth("header", ("name", name), ("value", value))
        }
        let name = try template(place["field_name"]?.string ?? "").description
        switch place["inject_into"]?.string {
        case "header": return .auth("header", ("name", name), ("value", value))
        case "request_parameter": return .auth("query", ("name", name), ("value", value))
        case "body_data", "body_json":
            // It stands in each request itself.
            signInOption = (place, value)
            return .auth("none")
        case let other: throw Untranslatable(other ?? "inject_into", "no place of a request")
        }
    }

    private func oauth(_ component: JSONValue) throws(Untranslatable) -> JSONValue {
        if component["use_profile_assertion"]?.bool == true {
            throw Untranslatable(
                "use_profile_assertion", "a signed assertion in place of a refresh token")
        }
        for (key, usual) in [
            ("client_id_name", "client_id"), ("client_secret_name", "client_secret"),
            ("refresh_token_name", "refresh_token"), ("access_token_name", "access_token"),
            ("grant_type_name", "grant_type"),
        ] {
            if let name = component[key]?.string, name != usual {
                throw Untranslatable(
                    "\(key): \(name)", "the token endpoint has a name of its own for \(usual)")
            }
        }
        guard let endpoint = component["token_refresh_endpoint"]?.string else {
            return .auth("bearer", ("token", try secretText(component["access_token_value"])))
        }
        var members: [JSONMember] = []
        func add(_ name: String, _ text: String) { members.append(JSONMember(name, .string(text))) }
        let grant = try template(component["grant_type"]?.string ?? "refresh_token").description
        let type: String
        switch grant {
        case "refresh_token": type = "oauth2_refresh"
        case "client_credentials": type = "oauth2_client"
        case "password": type = "oauth2_password"
        default:
            throw Untranslatable("grant_type: \(grant)", "no sign-in of a job file has that grant")
        }
        add("type", type)
        add("token_url", try tokenURL(endpoint))
        add("client_id", try signInText(component["client_id"], asSecret: true))
        add("client_secret", try secretText(component["client_secret"]))
        if type == "oauth2_refresh" {
            add("refresh_token", try secretText(component["refresh_token"]))
        }
        if type == "oauth2_password" {
            let body = component["refresh_request_body"]
            add("user", try signInText(body?["username"], asSecret: true))
            add("password", try secretText(body?["password"]))
        }
        let scopes = (component["scopes"]?.elements ?? []).compactMap(\.string)
        if !scopes.isEmpty { add("scope", try template(scopes.joined(separator: " ")).description) }
        let isBasic = try signsByHeader(component["refresh_request_headers"])
        add("client_auth", isBasic ? "basic" : "body")
        let isSaid = type == "oauth2_password" ? ["username", "password"] : []
        try addParameters(
            component["refresh_request_body"], scopes.isEmpty, besides: isSaid, to: &members)
        let auth = JSONValue.object(members)
        let hasSecretPath = auth["token_url"]?.string?.contains("{secret.") == true
        let isOfUser = auth["parameters"]?.text.contains("{user.") == true
        if type == "oauth2_client", hasSecretPath || isOfUser { return try session(ofGrant: auth) }
        if hasSecretPath {
            throw Untranslatable(
                auth["token_url"]?.string ?? "", "a secret in the address of the token endpoint",
                nearest: "let an attribute hold it, where it is none in truth")
        }
        return auth
    }

    private func addParameters(
        _ body: JSONValue?, _ lacksScope: Bool, besides said: [String],
        to members: inout [JSONMember]
    ) throws(Untranslatable) {
        var parameters: [JSONMember] = []
        for entry in body?.members ?? [] where !said.contains(entry.name) {
            let text = try signInText(entry.value, asSecret: false)
            switch entry.name {
            case "grant_type", "client_id", "client_secret", "refresh_token": continue
            case "scope" where lacksScope && !text.contains("{"):
                members.append(JSONMember("scope", .string(text)))
            case "scope": throw Untranslatable("scope: \(text)", "a scope that a value decides")
            default: parameters.append(JSONMember(entry.name, .string(text)))
            }
        }
        if !parameters.isEmpty { members.append(JSONMember("parameters", .object(parameters))) }
    }

    /// The client proves itself by a header field.
    private func signsByHeader(_ headers: JSONValue?) throws(Untranslatable) -> Bool {
        var isBasic = false
        for header in headers?.members ?? [] {
            let text = header.value.scalarText ?? ""
            if header.name.lowercased() == "authorization",
                text.contains("base64encode") || text.contains("b64encode")
            {
                isBasic = true
            } else if header.name.lowercased() != "content-type"
                || !text.contains("form-urlencoded")
            {
                if header.name.lowercased() != "accept" {
                    throw Untranslatable(
                        "\(header.name): \(short(text))", "a header field for the token endpoint")
                }
            }
        }
        return isBasic
    }

    private func tokenURL(_ text: String) throws(Untranslatable) -> String {
        let address = try address(.object([JSONMember("url", .string(text))]))
        guard address.query.isEmpty else {
            throw Untranslatable(text, "a query in the address of the token endpoint")
        }
        tokenHosts = address.hosts
        let path = address.segments.map { Template(pieces: $0).description }
        return ([address.origin] + path).joined(separator: "/") + (address.endsWithSlash ? "/" : "")
    }
}

extension JSONValue {
    /// `auth` of a type, with texts.
    fileprivate static func auth(_ type: String, _ members: (String, String)...) -> JSONValue {
        .object(
            [JSONMember("type", .string(type))] + members.map { JSONMember($0.0, .string($0.1)) })
    }
}
