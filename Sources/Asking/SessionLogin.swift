import Basics
import HTTP
import JSON
import JobFiles
import JobQueue

/// Begins a session: a call of the source's own whose answer is sent with the requests.
struct SessionLogin: TokenIssuer {
    /// What says that the login itself was refused, and not that the source is away.
    private static let refusals = [400, 401, 403, 404, 422]

    let session: SessionSignIn
    let source: Source
    let base: String

    /// Nil where the source is signed in to in another way.
    init?(for source: Source, at base: String) {
        guard case .session(let session) = source.auth else { return nil }
        self.session = session
        self.source = source
        self.base = base
    }

    var isOfSource: Bool { session.base == nil }
    var refreshToken: String? { nil }

    /// A token of another address, or one that another call brought, is another token.
    var purpose: String {
        let basic = session.basic.map { " \($0.user):\($0.password)" } ?? ""
        return "session \(session.base ?? base) \(session.login.words)\(basic)"
    }

    var secretNames: [String] { session.secretNames }

    /// Whoever the secrets are of, the login is theirs.
    var clientSecretNames: [String] { secretNames }

    var namesUser: Bool {
        session.placeholders.contains { if case .user = $0 { true } else { false } }
    }

    func request(_ secrets: SourceSecrets, nowUnixSeconds: Int) throws -> HTTPRequest {
        var asked = source
        // What the source is sent with each request is none of another host's.
        if session.base != nil { asked.headers = [] }
        var request = try RequestAssembly(
            source: asked, base: session.base ?? base, renderer: secrets.renderer
        ).request(session.login)
        if let basic = session.basic {
            let pair = "\(try secrets.text(basic.user)):\(try secrets.text(basic.password))"
            request.headers.append(
                HTTPHeader("Authorization", "Basic \(Base64.encode(Array(pair.utf8)))"))
        }
        return request
    }

    func issued(
        by response: HTTPResponse, clientIsUsers: Bool, nowUnixSeconds now: Int
    ) throws -> IssuedToken {
        guard session.login.expect.contains(response.status) else {
            throw refusal(of: response, now)
        }
        let token = try token(in: response)
        if let fault = CredentialForm.accessToken.fault(of: token.utf8) {
            throw RunEnd.failed(.malformed, "the token of the login \(fault)")
        }
        return IssuedToken(text: token, refreshToken: nil, validity: session.lasts)
    }

    func sign(
        _ request: inout HTTPRequest, with token: String, _ secrets: SourceSecrets
    ) throws {
        let secrets = secrets.with(sessionToken: token)
        switch session.sent {
        case .header(let name, let value):
            request.headers.append(HTTPHeader(name, try secrets.text(value)))
        case .query(let name, let value):
            request.add(parameter: (name, try secrets.text(value)))
        }
    }

    /// No word of the answer: it may repeat what was sent.
    private func refusal(of response: HTTPResponse, _ now: Int) -> RunEnd {
        let status = response.status
        let clock = RetryClock(rule: source.retry)
        if let wait = clock.askedWait(response, nowUnixSeconds: now), status >= 400 {
            return .deferred(
                .rateLimited, message: "the login was answered with \(status)", wait: wait)
        }
        guard Self.refusals.contains(status) else {
            return classified(
                status: status, of: "the login", excerpt: "", hasCredential: false)
        }
        return .needsReauth(message: "the login was answered with \(status)")
    }

    private func token(in response: HTTPResponse) throws -> String {
        switch session.tokenAt {
        case .body(let path):
            let root = (try? JSONDocument(parsing: response.body))?.root
            let node = root.flatMap { path.first(in: $0) }
            if let text = node?.string ?? node?.numberText, !text.isEmpty { return text }
            throw RunEnd.failed(.malformed, "the login's answer has no token at \(path)")
        case .header(let name):
            if let text = response.header(name), !text.isEmpty { return text }
            throw RunEnd.failed(.malformed, "the login's answer has no header field \(name)")
        case .cookie(let name):
            // The last one counts: a server that takes a cookie back sets it anew behind that.
            let found = response.allValues(of: "Set-Cookie").reversed().lazy
                .compactMap { Self.value(of: name, inCookie: $0) }.first { !$0.isEmpty }
            if let found { return found }
            throw RunEnd.failed(.malformed, "the login's answer sets no cookie \(name)")
        }
    }

    /// RFC 6265, 5.2: a name and a value before the first semicolon, perhaps in quotes.
    private static func value(of name: String, inCookie text: String) -> String? {
        let pair = text.prefix { $0 != ";" }
        guard let equals = pair.firstIndex(of: "="),
            String(pair[..<equals]).trimmingBlanks() == name
        else { return nil }
        let value = String(pair[pair.index(after: equals)...]).trimmingBlanks()
        return value.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"")
            ? String(value.dropFirst().dropLast()) : value
    }
}
