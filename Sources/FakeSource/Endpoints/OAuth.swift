/// A token endpoint for each user that asks for OAuth 2.0: `POST /oauth/{user}/token` (RFC 6749).
///
/// `POST /oauth/any/token` serves all of them: whose refresh token comes is meant, else whose client.
///
/// Only the access token issued last is good; refresh tokens rotate when told to.
final class OAuth {
    struct Client {
        var id: String
        var secret: String
        /// Nil when client credentials are the grant.
        var refreshToken: String?
        /// What a client signs is the grant, and proves it.
        var publicKey: String?
        var rotates: Bool
        var expiresIn: Int
        /// The client's id and secret stand in the form.
        var isInForm: Bool
        var issued = 0
    }

    private var clients: [String: Client] = [:]

    static let keys = [
        "client_id", "client_secret", "refresh_token", "rotates", "expires_in", "in_form",
        "public_key",
    ]

    func add(_ command: Command, for user: String) throws(BadRequest) {
        clients[user] = Client(
            id: try command.needed("client_id"), secret: try command.needed("client_secret"),
            refreshToken: try command.string("refresh_token"),
            publicKey: try command.string("public_key"),
            rotates: try command.bool("rotates") ?? false,
            expiresIn: try command.int("expires_in", in: 1...86_400) ?? 3600,
            isInForm: try command.bool("in_form") ?? false)
    }

    /// Nil when the path is no token endpoint; `grant` is called with the new access token.
    func answer(_ request: Request, grant: (String, String) -> Void) -> Answer? {
        let path = request.segments
        guard path.count == 3, path[0] == "oauth", path[2] == "token" else { return nil }
        guard request.method == "POST" else { return .error(404, "Not found") }
        let user = path[1] == "any" ? userMeant(by: request) : path[1]
        guard let user else {
            return .json(400, JSONText.object { $0.field("error", "invalid_grant") })
        }
        guard var client = clients[user] else { return .error(404, "Not found") }
        guard proves(request, client) else {
            return .json(401, JSONText.object { $0.field("error", "invalid_client") })
        }
        guard isGood(form(request.body), client, at: request.path) else {
            return .json(400, JSONText.object { $0.field("error", "invalid_grant") })
        }
        client.issued += 1
        let token = "access-\(user)-\(client.issued)"
        if client.rotates, client.refreshToken != nil {
            client.refreshToken = "refresh-\(user)-\(client.issued)"
        }
        clients[user] = client
        grant(user, token)
        return .json(
            200,
            JSONText.object { json in
                json.field("access_token", token)
                json.field("token_type", "Bearer")
                json.field("expires_in", client.expiresIn)
                if client.rotates, let next = client.refreshToken {
                    json.field("refresh_token", next)
                }
            })
    }

    private func userMeant(by request: Request) -> String? {
        if let token = form(request.body)["refresh_token"] {
            return clients.first { $0.value.refreshToken == token }?.key
        }
        return clients.first { basic(of: $0.value) == request.header("authorization") }?.key
    }

    private func basic(of client: Client) -> String {
        "Basic " + Base64.encode("\(client.id):\(client.secret)")
    }

    /// By Basic, or in the form where the client does so: one of them, not both.
    private func proves(_ request: Request, _ client: Client) -> Bool {
        let form = form(request.body)
        if client.publicKey != nil { return request.header("authorization") == nil }
        guard client.isInForm else {
            return request.header("authorization") == basic(of: client)
                && form["client_secret"] == nil
        }
        return request.header("authorization") == nil && form["client_id"] == client.id
            && form["client_secret"] == client.secret
    }

    private func isGood(_ form: [String: String], _ client: Client, at path: String) -> Bool {
        if let key = client.publicKey {
            let assertion = SignedAssertion(form["assertion"] ?? "", publicKey: key)
            return form["grant_type"]?.hasSuffix("jwt-bearer") == true
                && assertion?.states(issuer: client.id, audience: path, now: wallClock() / 1000)
                    == true
        }
        guard let refreshToken = client.refreshToken else {
            return form["grant_type"] == "client_credentials"
        }
        return form["grant_type"] == "refresh_token" && form["refresh_token"] == refreshToken
    }

    /// Names and values of a form whose values need no decoding.
    private func form(_ body: [UInt8]) -> [String: String] {
        var form: [String: String] = [:]
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { form[parts[0]] = parts[1] }
        }
        return form
    }
}
