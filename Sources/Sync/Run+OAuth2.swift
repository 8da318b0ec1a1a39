import HTTP
import JSON
import JobFile
import Queue
import Secrets

// OAuth 2.0 (RFC 6749): access tokens are asked for when the process has none that is good.
extension Run {
    /// What a server means that names no span of validity.
    private static let unsaidSpan = Duration.seconds(300)

    private var oauth: (client: OAuth2, refreshToken: String?)? {
        switch inputs.file.source.auth {
        case .oauth2Client(let client): (client, nil)
        case .oauth2Refresh(let client, let name): (client, name)
        default: nil
        }
    }

    private func tokenKey(_ refreshToken: String?) -> AccessTokens.Key {
        AccessTokens.Key(
            tenantID: inputs.job.tenantID,
            userID: refreshToken == nil ? 0 : inputs.job.claim.userID,
            source: inputs.file.source.id)
    }

    /// The request with an access token; unchanged where the source wants none.
    ///
    /// Throws `RunEnd.needsReauth` when the token server refuses the credential.
    func withAccessToken(_ request: HTTPRequest) async throws -> HTTPRequest {
        guard let (client, refreshToken) = oauth else { return request }
        let key = tokenKey(refreshToken)
        let token: String
        if let kept = services.tokens.token(of: key) {
            token = kept
        } else {
            token = try await fetchToken(client, refreshToken, key)
            // A refresh token that rotates is worth nothing until it is stored.
            try await storeRotation()
        }
        protect(Array(token.utf8))
        var request = request
        request.headers.append(HTTPHeader("Authorization", "Bearer \(token)"))
        return request
    }

    /// Drops the token a source has answered 401 to; true when a fresh one may help.
    func dropsRefusedToken(_ answer: Answer, of request: HTTPRequest) -> Bool {
        guard answer.response.status == 401, let (_, refreshToken) = oauth else { return false }
        let key = tokenKey(refreshToken)
        guard let token = services.tokens.token(of: key) else { return false }
        services.tokens.drop(token, of: key)
        return true
    }

    private func fetchToken(
        _ client: OAuth2, _ refreshToken: String?, _ key: AccessTokens.Key
    ) async throws -> String {
        let response = try await services.client.send(
            try tokenRequest(client, refreshToken),
            deadline: min(deadline, .now + inputs.file.source.timeout))
        requests += 1
        let document = try? JSONDocument(parsing: response.body)
        guard response.status == 200, let document,
            let token = document.root["access_token"]?.string
        else { throw refusal(response, document) }
        if let name = refreshToken, let next = document.root["refresh_token"]?.string,
            try SourceSecrets(values).text(ofSecret: name) != next
        {
            try note(NewCredential(name: name, value: next))
        }
        let seconds = document.root["expires_in"]?.numberText.flatMap { Double($0) }
        services.tokens.keep(
            token, of: key,
            for: seconds.map { .seconds(Int64(min(max($0, 0), 86_400))) } ?? Self.unsaidSpan)
        return token
    }

    /// Section 4.4.2 or 6; the client proves itself by Basic (2.3.1), a public one names itself.
    private func tokenRequest(
        _ client: OAuth2, _ refreshToken: String?
    ) throws -> HTTPRequest {
        let secrets = SourceSecrets(values)
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
        if let secret = client.clientSecret {
            let pair = [id, try secrets.text(secret)].map { percentEncode(queryValue: $0) }
            headers.append(
                HTTPHeader(
                    "Authorization", "Basic \(base64(Array(pair.joined(separator: ":").utf8)))"))
        } else {
            form.append(("client_id", id))
        }
        let body = form.map { "\($0.0)=\(percentEncode(queryValue: $0.1))" }.joined(separator: "&")
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
