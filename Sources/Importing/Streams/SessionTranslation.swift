import JSON
import JobFiles

// A call of the source's own whose answer is sent with the requests.
extension StreamContext {
    /// `auth` of type `session`; its login stands aside, since its path is below a base that is not known yet.
    func session(_ component: JSONValue) throws(Untranslatable) -> JSONValue {
        let requester = component["login_requester"] ?? .null
        guard requester.type(usually: "HttpRequester") == "HttpRequester" else {
            throw Untranslatable(
                requester["class_name"]?.string ?? requester["type"]?.string ?? "",
                "Python that signs in")
        }
        guard component["decoder"]?.type(usually: "JsonDecoder") ?? "JsonDecoder" == "JsonDecoder"
        else { throw Untranslatable("decoder", "a token that does not stand in JSON") }
        let before = left.count
        var draft = request(requester)
        let basic = try signLogin(requester["authenticator"], &draft)
        parameters = requester["$parameters"] ?? .null
        let address = try address(requester)
        guard left.count == before else {
            throw Untranslatable("login_requester", "a part of the login can't be said")
        }
        login = LoginDraft(request: draft, address: address)
        let path = (component["session_token_path"]?.elements ?? []).compactMap(\.scalarText)
        guard !path.isEmpty, !path.contains(where: { $0.contains("{{") || $0 == "*" }) else {
            throw Untranslatable("session_token_path", "a token at no place of its own")
        }
        var members = [
            JSONMember("type", .string("session")), JSONMember("token_at", .string(pathText(path))),
        ]
        members += basic
        if let send = try sent(component["request_authentication"]) {
            members.append(JSONMember("send", send))
        }
        if let lasts = try lasts(component["expiration_duration"]) {
            members.append(JSONMember("lasts", .string(lasts)))
        }
        return .object(members)
    }

    /// What the login itself is signed with: a header field, a parameter, or a name and a password.
    private func signLogin(_ component: JSONValue?, _ draft: inout RequestDraft)
        throws(Untranslatable) -> [JSONMember]
    {
        let auth = try authentication(component, chosen: nil)
        let value = auth["value"]
        switch auth["type"]?.string {
        case "none": return []
        case "bearer":
            draft.headers.append(
                JSONMember("Authorization", .string("Bearer \(auth["token"]?.string ?? "")")))
        case "header":
            draft.headers.append(JSONMember(auth["name"]?.string ?? "", value ?? .null))
        case "query": draft.query.append(JSONMember(auth["name"]?.string ?? "", value ?? .null))
        case "basic":
            let pair = (auth.members ?? []).filter { $0.name != "type" }
            return [JSONMember("basic", .object(pair))]
        case let other: throw Untranslatable(other ?? "", "a login that is signed in to itself")
        }
        return []
    }

    /// `send`; nil for the usual one.
    private func sent(_ component: JSONValue?) throws(Untranslatable) -> JSONValue? {
        guard let component, component["type"]?.string == "ApiKey" else { return nil }
        let option = component["inject_into"]
        let name = try template(option?["field_name"]?.string ?? "").description
        var members: [JSONMember] = []
        switch option?["inject_into"]?.string {
        case "header": members.append(JSONMember("header", .string(name)))
        case "request_parameter": members.append(JSONMember("query", .string(name)))
        case let other:
            throw Untranslatable(other ?? "inject_into", "a token that is sent in the body")
        }
        if let text = component["api_token"]?.string {
            let mixed = try substituted(text)
            let pieces = mixed.parts.map { part -> Template.Piece? in
                switch part {
                case .text(let text): .literal(text)
                case .expression(.name("session_token"), _): .placeholder(.sessionToken)
                case .expression: nil
                }
            }
            guard !pieces.contains(nil), pieces.contains(.placeholder(.sessionToken)) else {
                throw Untranslatable(text, "a token that is sent inside an expression")
            }
            let value = Template(pieces: pieces.compactMap(\.self)).description
            if value != "{session.token}" { members.append(JSONMember("value", .string(value))) }
        }
        return .object(members)
    }

    /// How long a token is sent; nil for an hour.
    private func lasts(_ value: JSONValue?) throws(Untranslatable) -> String? {
        guard let value, value != .null else {
            note(
                "a token of the login is sent for an hour, or until it is refused: the manifest names no time"
            )
            return nil
        }
        let text = try substituted(value.scalarText ?? "").plain ?? ""
        guard let span = isoSpan(text), span >= 10_000 else {
            throw Untranslatable(value.text, "a time that is none by ISO 8601")
        }
        let most = min(span, 30 * 86_400_000)
        return most == 3_600_000 ? nil : spanText(most)
    }

    /// The grant of a client whose answer depends on its user, which an access token of the client's own may not.
    func session(ofGrant auth: JSONValue) throws(Untranslatable) -> JSONValue {
        guard auth["client_auth"] == .string("body"), let url = auth["token_url"]?.string else {
            throw Untranslatable(
                "client_credentials",
                "a client's own token is shared by all users, and this one is one's own")
        }
        var draft = RequestDraft()
        draft.method = "POST"
        draft.form = [JSONMember("grant_type", .string("client_credentials"))]
        for name in ["client_id", "client_secret", "scope"] {
            if let value = auth[name] { draft.form.append(JSONMember(name, value)) }
        }
        draft.form += auth["parameters"]?.members ?? []
        guard let template = try? Template(parsing: url) else {
            throw Untranslatable(url, "an address that is none")
        }
        var address = StreamAddress(template)
        address.hosts = tokenHosts
        login = LoginDraft(request: draft, address: address)
        return .object([
            JSONMember("type", .string("session")), JSONMember("token_at", .string("access_token")),
        ])
    }
}

/// The call that begins a session.
struct LoginDraft {
    var request: RequestDraft
    var address: StreamAddress

    /// As `login` has it.
    func json(path: String) -> JSONValue {
        var members = request.members(path: path, besides: address.query)
        // What an answer may be is written for requests of entities alone.
        members.removeAll { $0.name == "expect" }
        return .object(members)
    }
}
