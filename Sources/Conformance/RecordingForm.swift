import Asking
import Basics
import HTTP
import JobFiles
import JSON
import Reading
import Telemetry

/// What makes two requests the same for a recording, and what of an answer is kept.
struct RecordingForm: Sendable {
    /// Header fields that a run reads; others may tell of a person or a session.
    private static let kept = [
        "content-type", "date", "etag", "last-modified", "link", "retry-after",
    ]

    private let redactor: Redactor
    private let signInNames: Set<String>
    private let client: OAuth2?
    private let login: SessionSignIn?
    private let keptNames: Set<String>
    private let gained: GainedSecrets
    /// For the entities whose records bring secrets.
    private let secretReaders: [PageReader]

    /// Of a token server's answer all else may repeat what it was asked with.
    private static let keptOfTokens = ["token_type", "expires_in", "scope", "error"]
    private static let tokens = ["access_token", "refresh_token"]

    init(_ file: JobFile, _ redactor: Redactor) {
        self.redactor = redactor
        var names: Set<String> = ["ckAPIToken", "ckWebAuthToken"]
        var client: OAuth2?
        switch file.source.auth {
        case .oauth2Client(let asked), .oauth2Refresh(let asked, _),
            .oauth2Password(let asked, _, _), .oauth2JWT(let asked, _):
            client = asked
        default: break
        }
        if let name = file.source.auth.queryName { names.insert(name) }
        if case .session(let session) = file.source.auth {
            login = session
            if case .query(let name, _) = session.sent { names.insert(name) }
        } else {
            login = nil
        }
        signInNames = names
        gained = GainedSecrets(file, parameters: names)
        self.client = client
        let positions = file.entities.compactMap { $0.page.positionHeader?.lowercased() }
        keptNames = Set(Self.kept + positions)
        secretReaders = file.entities.filter { !$0.records.secrets.isEmpty }.map { PageReader($0) }
    }

    /// Method, path and query without what signs in, and a hash of the body.
    func key(of request: HTTPRequest) -> (method: String, path: String, body: String) {
        let address = request.url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
        let parts = address.split(separator: "?", maxSplits: 1)
        let query = (parts.count > 1 ? parts[1] : "").split(separator: "&").filter { pair in
            !signInNames.contains(String(pair.prefix { $0 != "=" }))
        }
        let path = String(parts.first ?? "/")
        let whole = path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        // What is sent for an access token is secret as a whole.
        let body = isForToken(request) || isLogin(request) ? [] : request.body ?? []
        let text = redactor.redacted(String(decoding: body, as: UTF8.self))
        return (request.method, redactor.redacted(whole), body.isEmpty ? "" : stableHash(text))
    }

    /// The tokens that an exchange shows, and that are in no answer from then on.
    func gained(in response: HTTPResponse, to request: HTTPRequest) -> [[UInt8]] {
        gained.secrets(of: request, response, isForToken: isForToken(request))
    }

    /// The answer as a recording keeps it; `gained`: knows the tokens that came until now.
    func kept(
        _ response: HTTPResponse, to request: HTTPRequest, without gained: Redactor
    ) -> JSONValue {
        func redacted(_ text: String) -> String { gained.redacted(redactor.redacted(text)) }
        // What gives a token may tell it elsewhere too, before anybody knows it.
        let names =
            isForToken(request) || isLogin(request)
            ? ["content-type", "date", "retry-after"] : keptNames
        let headers =
            response.headers.filter { names.contains($0.name.lowercased()) }
            + (isLogin(request) ? Self.recorded(login) : [])
        let body =
            isForToken(request)
            ? withoutTokens(response.body)
            : isLogin(request) ? withoutToken(response.body) : withoutSecrets(response.body)
        let (method, path, hash) = key(of: request)
        return .object([
            JSONMember("method", .string(method)),
            JSONMember("path", .string(gained.redacted(path))),
            JSONMember("request_body_hash", .string(hash)),
            JSONMember("status", .integer(response.status)),
            JSONMember(
                "headers",
                .array(
                    headers.map {
                        .object([
                            JSONMember("name", .string($0.name)),
                            JSONMember("value", .string(redacted($0.value))),
                        ])
                    })),
            JSONMember("body", .string(redacted(body))),
        ])
    }

    private func isForToken(_ request: HTTPRequest) -> Bool {
        client?.isAsked(at: request.url) ?? false
    }

    private func isLogin(_ request: HTTPRequest) -> Bool {
        guard let login = login?.login, request.method == login.method else { return false }
        let path = request.url.prefix { $0 != "?" }
        let ends = login.path.pieces.compactMap { piece in
            if case .literal(let text) = piece { text } else { nil }
        }
        return ends.allSatisfy { path.contains($0) } && path.hasSuffix(ends.last ?? "")
    }

    /// What holds the token beside the body.
    private static func recorded(_ session: SessionSignIn?) -> [HTTPHeader] {
        switch session?.tokenAt {
        case .header(let name): [HTTPHeader(name, "recorded")]
        case .cookie(let name): [HTTPHeader("Set-Cookie", "\(name)=recorded")]
        case .body, nil: []
        }
    }

    /// A login's answer with a word in place of the token, and nothing beside it.
    private func withoutToken(_ body: [UInt8]) -> String {
        guard case .body(let path) = login?.tokenAt,
            let root = (try? JSONDocument(parsing: body))?.root, path.first(in: root) != nil
        else { return "" }
        return path.steps.reversed().reduce(JSONValue.string("recorded")) { value, step in
            switch step {
            case .member(let name): .object([JSONMember(name, value)])
            case .each, .element: .array([value])
            }
        }.text
    }

    /// A body without what its records bring as secrets; of one that can't be read nobody knows where these are.
    private func withoutSecrets(_ body: [UInt8]) -> String {
        let text = String(decoding: body, as: UTF8.self)
        guard !secretReaders.isEmpty else { return text }
        guard let root = (try? JSONDocument(parsing: body))?.root else { return "" }
        guard let secrets = try? Set(secretReaders.flatMap({ try $0.secretValues(root) })) else {
            return ""
        }
        return Redactor(secrets: Array(secrets)).redacted(text)
    }

    /// A token endpoint's answer with a word in place of each token.
    private func withoutTokens(_ body: [UInt8]) -> String {
        guard case .object(let members)? = (try? JSONDocument(parsing: body))?.root.value else {
            return ""
        }
        return JSONValue.object(
            members.compactMap { member in
                guard Self.tokens.contains(member.name) else {
                    return Self.keptOfTokens.contains(member.name) ? member : nil
                }
                guard case .string(let text) = member.value, !text.isEmpty else { return member }
                return JSONMember(member.name, .string("recorded"))
            }
        ).text
    }
}
