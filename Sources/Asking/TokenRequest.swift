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
    /// Name of the secret that is the refresh token; nil: client credentials.
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
        placeholders.compactMap { if case .secret(let name) = $0 { name } else { nil } }
            + (refreshToken.map { [$0] } ?? [])
    }

    /// Something of a user that is no secret stands in the request.
    var namesUser: Bool {
        placeholders.contains { if case .secret = $0 { false } else { true } }
    }

    private var placeholders: [Placeholder] {
        ([client.clientID] + [client.clientSecret].compactMap(\.self)
            + client.parameters.map(\.value))
            .flatMap(\.placeholders)
    }

    /// What a token server has answered.
    struct Issued {
        var accessToken: String
        /// The refresh token that takes the old one's place; nil: that stays.
        var refreshToken: String?
        var validity: Duration
    }

    /// Reads the answer.
    ///
    /// Throws `RunEnd.needsReauth` when the server refuses the credential.
    func issued(by response: HTTPResponse) throws -> Issued {
        let document = try? JSONDocument(parsing: response.body)
        guard response.status == 200, let root = document?.root,
            let token = root["access_token"]?.string
        else { throw refusal(response, document) }
        let seconds = root["expires_in"]?.numberText.flatMap { Double($0) }
        return Issued(
            accessToken: token, refreshToken: root["refresh_token"]?.string,
            validity: seconds.map { .seconds(Int64(min(max($0, 0), 86_400))) } ?? Self.unsaidSpan)
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

    /// Section 5.2: a refused grant or client needs a person, everything else is judged as usual.
    private func refusal(_ response: HTTPResponse, _ document: JSONDocument?) -> RunEnd {
        let word = document?.root["error"]?.string ?? ""
        let isRefused = ["invalid_grant", "invalid_client", "unauthorized_client"].contains(word)
        let message = "the token endpoint answered \(response.status) \(word)"
        if isRefused || response.status == 401 { return .needsReauth(message: message) }
        return classified(
            status: response.status, of: "the token endpoint", excerpt: word, hasCredential: false)
    }
}
