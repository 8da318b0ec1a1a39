import Basics
import HTTP
import JSON
import JobFiles
import JobQueue

/// Asks a token server for an access token (OAuth 2.0, RFC 6749).
struct TokenRequest {
    /// What a server means that names no span of validity.
    private static let unsaidSpan = Duration.seconds(300)

    let client: OAuth2
    /// Name of the secret that is the refresh token; nil means client credentials.
    let refreshToken: String?

    /// Nil where the source wants no access token.
    init?(for auth: Authentication) {
        switch auth {
        case .oauth2Client(let client): (self.client, refreshToken) = (client, nil)
        case .oauth2Refresh(let client, let name): (self.client, refreshToken) = (client, name)
        default: return nil
        }
    }

    /// What the token is asked for; another purpose takes another token.
    var purpose: String {
        ([client.tokenURL, client.scope ?? ""] + client.parameters.map { "\($0.name)=\($0.value)" })
            .joined(separator: " ")
    }

    /// The secrets that the token comes of.
    var secretNames: [String] {
        templates.flatMap(\.secretNames) + (refreshToken.map { [$0] } ?? [])
    }

    /// Those of them that the client proves itself with.
    var clientSecretNames: [String] {
        [client.clientID, client.clientSecret].compactMap(\.self).flatMap(\.secretNames)
    }

    /// Something of a user that is no secret stands in the request.
    var namesUser: Bool {
        templates.flatMap(\.placeholders).contains {
            if case .secret = $0 { false } else { true }
        }
    }

    private var templates: [Template] {
        [client.clientID, client.clientSecret].compactMap(\.self) + client.parameters.map(\.value)
    }

    /// What a token server has answered.
    struct Issued {
        var accessToken: String
        /// The refresh token that takes the old one's place; nil when that stays.
        var refreshToken: String?
        var validity: Duration
    }

    /// Reads the answer.
    ///
    /// `clientIsUsers`: a secret of the user stands for the client. Throws how the run ends where the server gives no
    /// token, or one that can't be used: nothing of such an answer is kept.
    func issued(by response: HTTPResponse, clientIsUsers: Bool) throws -> Issued {
        let root = (try? JSONDocument(parsing: response.body))?.root
        guard 200..<300 ~= response.status, let token = present(root?["access_token"]) else {
            throw TokenRefusal(
                status: response.status, word: root?["error"]?.string ?? "",
                clientIsUsers: clientIsUsers, hasGrant: refreshToken != nil,
                hasClientSecret: client.clientSecret != nil
            ).end
        }
        let seconds = root?["expires_in"]?.numberText.flatMap { Double($0) }
        return Issued(
            accessToken: try checked(token, "access_token", .accessToken),
            refreshToken: try present(root?["refresh_token"]).map {
                try checked($0, "refresh_token", .token)
            },
            validity: seconds.map { .seconds(Int64(min(max($0, 0), 86_400))) } ?? Self.unsaidSpan)
    }

    /// Null and an empty text are as good as none: an empty refresh token would take the place of a good one.
    private func present(_ node: JSONNode?) -> JSONNode? {
        guard let node, node.kind != .null, node.string != "" else { return nil }
        return node
    }

    private func checked(
        _ node: JSONNode, _ name: String, _ form: CredentialForm
    ) throws -> String {
        guard let text = node.string else {
            throw RunEnd.failed(.malformed, "the token endpoint's \(name) is no text")
        }
        if let fault = form.fault(of: text.utf8) {
            throw RunEnd.failed(.malformed, "the token endpoint's \(name) \(fault)")
        }
        return text
    }

    /// Section 4.4.2 or 6; the client proves itself by Basic or in the form (2.3.1), a public one names itself.
    func request(_ secrets: SourceSecrets) throws -> HTTPRequest {
        var form = [("grant_type", refreshToken == nil ? "client_credentials" : "refresh_token")]
        if let refreshToken {
            form.append(("refresh_token", try secrets.text(ofSecret: refreshToken)))
        }
        if let scope = client.scope { form.append(("scope", scope)) }
        var headers = [
            HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
            HTTPHeader("Accept", "application/json"),
        ]
        let id = try secrets.text(client.clientID)
        for parameter in client.parameters {
            form.append((parameter.name, try secrets.text(parameter.value)))
        }
        if let secret = client.clientSecret, client.clientAuth == .body {
            form += [("client_id", id), ("client_secret", try secrets.text(secret))]
        } else if let secret = client.clientSecret {
            let pair = [id, try secrets.text(secret)].map { percentEncode(queryValue: $0) }
            headers.append(
                HTTPHeader(
                    "Authorization",
                    "Basic \(Base64.encode(Array(pair.joined(separator: ":").utf8)))"))
        } else {
            form.append(("client_id", id))
        }
        let body = form.map {
            "\(percentEncode(queryValue: $0.0))=\(percentEncode(queryValue: $0.1))"
        }.joined(separator: "&")
        return HTTPRequest(
            method: "POST", url: client.tokenURL, headers: headers, body: Array(body.utf8))
    }
}
