import Basics
import HTTP
import JSON
import JobFiles
import JobQueue

/// Asks a token server for an access token (OAuth 2.0, RFC 6749).
struct TokenRequest: TokenIssuer {
    /// What a server means that names no span of validity.
    private static let unsaidSpan = Duration.seconds(300)

    /// What the client shows for a token.
    private enum Grant {
        case client
        case refreshToken(String)
        case password(user: Template, password: Template)
        case assertion(Assertion)
    }

    private let client: OAuth2
    private let grant: Grant

    /// Nil where the source wants no access token.
    init?(for auth: Authentication) {
        switch auth {
        case .oauth2Client(let client): (self.client, grant) = (client, .client)
        case .oauth2Refresh(let client, let name):
            (self.client, grant) = (client, .refreshToken(name))
        case .oauth2Password(let client, let user, let password):
            (self.client, grant) = (client, .password(user: user, password: password))
        case .oauth2JWT(let client, let assertion):
            (self.client, grant) = (client, .assertion(assertion))
        default: return nil
        }
    }

    var isOfSource: Bool { false }

    /// Nil where none is spent.
    var refreshToken: String? {
        if case .refreshToken(let name) = grant { name } else { nil }
    }

    var purpose: String {
        ([client.tokenURL, client.scope ?? ""]
            + (client.parameters + claims).map { "\($0.name)=\($0.value)" })
            .joined(separator: " ")
    }

    var secretNames: [String] {
        templates.flatMap(\.secretNames) + (refreshToken.map { [$0] } ?? [])
    }

    var clientSecretNames: [String] {
        [client.clientID, client.clientSecret, assertion?.key].compactMap(\.self)
            .flatMap(\.secretNames)
    }

    var namesUser: Bool {
        templates.flatMap(\.placeholders).contains {
            if case .secret = $0 { false } else { true }
        }
    }

    private var templates: [Template] {
        [client.clientID, client.clientSecret].compactMap(\.self) + client.parameters.map(\.value)
            + owners
    }

    /// The name and the password of the user, or what is signed in their place.
    private var owners: [Template] {
        if case .password(let user, let password) = grant { return [user, password] }
        return [assertion?.key, assertion?.keyID].compactMap(\.self) + claims.map(\.value)
    }

    private var assertion: Assertion? {
        if case .assertion(let assertion) = grant { assertion } else { nil }
    }

    private var claims: [NamedTemplate] { assertion?.claims ?? [] }

    func issued(
        by response: HTTPResponse, clientIsUsers: Bool, nowUnixSeconds: Int
    ) throws -> IssuedToken {
        let root = (try? JSONDocument(parsing: response.body))?.root
        guard 200..<300 ~= response.status, let token = present(root?["access_token"]) else {
            throw TokenRefusal(
                status: response.status, word: root?["error"]?.string ?? "",
                clientIsUsers: clientIsUsers, hasGrant: hasGrant,
                hasClientSecret: client.clientSecret != nil
            ).end
        }
        let seconds = root?["expires_in"]?.numberText.flatMap { Double($0) }
        return IssuedToken(
            text: try checked(token, "access_token", .accessToken),
            refreshToken: try present(root?["refresh_token"]).map {
                try checked($0, "refresh_token", .token)
            },
            validity: seconds.map { .seconds(Int64(min(max($0, 0), 86_400))) } ?? Self.unsaidSpan)
    }

    /// The token is for what a user gave.
    private var hasGrant: Bool {
        if case .client = grant { false } else { true }
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

    func sign(
        _ request: inout HTTPRequest, with token: String, _ secrets: SourceSecrets
    ) {
        request.headers.append(HTTPHeader("Authorization", "Bearer \(token)"))
    }

    private func grantFields(_ secrets: SourceSecrets, _ now: Int) throws -> [(String, String)] {
        switch grant {
        case .client: [("grant_type", "client_credentials")]
        case .refreshToken(let name):
            [
                ("grant_type", "refresh_token"),
                ("refresh_token", try secrets.text(ofSecret: name)),
            ]
        case .password(let user, let password):
            [
                ("grant_type", "password"), ("username", try secrets.text(user)),
                ("password", try secrets.text(password)),
            ]
        case .assertion(let assertion):
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                (
                    "assertion",
                    try assertion.signed(for: client.tokenURL, secrets, nowUnixSeconds: now)
                ),
            ]
        }
    }

    /// Section 4.3.2, 4.4.2 or 6, or RFC 7523, 2.1; the client proves itself by Basic or in the form (2.3.1), a public one names itself.
    func request(_ secrets: SourceSecrets, nowUnixSeconds now: Int) throws -> HTTPRequest {
        var form = try grantFields(secrets, now)
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
        } else if !id.isEmpty {
            form.append(("client_id", id))
        }
        let body = form.map {
            "\(percentEncode(queryValue: $0.0))=\(percentEncode(queryValue: $0.1))"
        }.joined(separator: "&")
        return HTTPRequest(
            method: "POST", url: client.tokenURL, headers: headers, body: Array(body.utf8))
    }
}
