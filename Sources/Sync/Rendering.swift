import HTTP
import JSON
import JobFile
import Queue
import Secrets

/// The values placeholders stand for during one run.
///
/// A missing one is nil, never an empty text.
struct Values {
    var attributes: JSONValue
    var secrets: [String: SecretValue] = [:]
    /// Loaded when a call that sends them is made.
    var lists: [String: [String]] = [:]
    var since: JSONValue?
    var pageToken: JSONValue?
    var pageSize: Int?
    /// Bodies of earlier calls of this run.
    var answers: [String: JSONDocument] = [:]
    /// The items of a `for_each` that the pass is for.
    var chunk: [String]?
    /// The row that is pushed.
    var row: [String: String] = [:]

    subscript(placeholder: Placeholder) -> JSONValue? {
        switch placeholder {
        case .user(let name): attributes[name]
        case .secret(let name):
            secrets[name].map { secret in
                .string(secret.withBytes { String(decoding: $0, as: UTF8.self) })
            }
        case .list(let name): lists[name].map { .array($0.map(JSONValue.string)) }
        case .since: since
        case .pageToken: pageToken
        case .pageSize: pageSize.map(JSONValue.integer)
        case .call(let name, let path):
            answers[name].flatMap { path.first(in: $0.root) }?.value
        case .chunk: chunk.map { .array($0.map(JSONValue.string)) }
        case .row(let name): row[name].map(JSONValue.string)
        }
    }
}

/// Fills templates.
///
/// A lone placeholder without a value takes its whole key away, and so does one of the pass inside
/// a longer text; any other there is an error, because half an address is no address.
struct Renderer {
    let values: Values

    /// The text of a template; nil when what its key is for is not there (`{since}` of a first pass).
    func text(
        _ template: Template, encoding: (String) -> String = { $0 }
    ) throws -> String? {
        if let lone = template.lonePlaceholder {
            return try values[lone].map { encoding(try plain($0, lone)) }
        }
        var text = ""
        for piece in template.pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .placeholder(let placeholder):
                guard let value = values[placeholder] else {
                    if placeholder.isOfPass { return nil }
                    throw missing(placeholder)
                }
                text += encoding(try plain(value, placeholder))
            }
        }
        return text
    }

    /// The text of a template that must have a value, such as a path.
    func requiredText(_ template: Template, encoding: (String) -> String = { $0 }) throws -> String
    {
        guard let text = try text(template, encoding: encoding) else {
            throw missing(template.placeholders.first { values[$0] == nil } ?? .since)
        }
        return text
    }

    /// A body with its types kept: a lone placeholder's value stays a list or a number.
    func body(_ template: BodyTemplate) throws -> JSONValue? {
        switch template {
        case .literal(let value): return value
        case .text(let template):
            if let lone = template.lonePlaceholder { return values[lone] }
            return try text(template).map(JSONValue.string)
        case .array(let elements): return .array(try elements.compactMap(body))
        case .object(let members):
            return .object(
                try members.compactMap { member in
                    try body(member.value).map { JSONMember(member.name, $0) }
                })
        case .when(let placeholder, let inner):
            return values[placeholder] == nil ? nil : try body(inner)
        }
    }

    private func plain(_ value: JSONValue, _ placeholder: Placeholder) throws -> String {
        switch value {
        case .string(let text): return text
        case .number(let text): return text
        case .bool(let flag): return flag ? "true" : "false"
        case .array(let elements):
            return try elements.map { try plain($0, placeholder) }.joined(separator: ",")
        case .null, .object: throw missing(placeholder)
        }
    }

    private func missing(_ placeholder: Placeholder) -> RunEnd {
        .failed(.missing, "there is no value for \(label(placeholder))")
    }

    private func label(_ placeholder: Placeholder) -> String {
        switch placeholder {
        case .user(let name): "{user.\(name)}: set it with `jobrunner user set … --set \(name)=…`"
        case .secret(let name): "{secret.\(name)}"
        case .list(let name): "{list.\(name)}"
        case .since: "{since}"
        case .pageToken: "{page.token}"
        case .pageSize: "{page.size}"
        case .call(let name, _): "an answer of call \(name)"
        case .chunk: "{chunk}"
        case .row(let name): "{row.\(name)}"
        }
    }
}

extension Placeholder {
    /// Without a value in a pass's first request, as a rule.
    fileprivate var isOfPass: Bool { self == .since || self == .pageToken }
}

/// Assembles requests: address, query, headers, body and sign-in.
struct RequestAssembly {
    let source: Source
    /// The job file's base, or the tenant's own.
    let base: String
    let renderer: Renderer

    func request(_ request: Request) throws -> HTTPRequest {
        let path = try renderer.path(request.path)
        var query = try pairs(request.query)
        query += try signInQuery()
        var headers = try signInHeaders() + fields(source.headers) + fields(request.headers)
        var body: [UInt8]?
        if let template = request.body {
            body = (try renderer.body(template) ?? .null).bytes
            headers.append(HTTPHeader("Content-Type", "application/json"))
        }
        if !headers.contains(where: { $0.name.lowercased() == "accept" }) {
            headers.append(HTTPHeader("Accept", "application/json"))
        }
        return HTTPRequest(
            method: request.method, url: address(path, query), headers: headers, body: body)
    }

    /// The request for a whole address that a page named; sign-in is added, as it was never stored.
    func request(_ request: Request, to url: String) throws -> HTTPRequest {
        var bare = request
        bare.path = Template(pieces: [.literal("/")])
        bare.query = []
        var assembled = try self.request(bare)
        let signIn = try signInQuery().map(pair)
        assembled.url =
            signIn.isEmpty
            ? url : url + (url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + signIn[0]
        return assembled
    }

    private func address(_ path: String, _ query: [(String, String)]) -> String {
        let joined = query.map(pair).joined(separator: "&")
        return base + path
            + (joined.isEmpty ? "" : (path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + joined)
    }

    private func pair(_ pair: (String, String)) -> String {
        percentEncode(queryValue: pair.0) + "=" + percentEncode(queryValue: pair.1)
    }

    private func pairs(_ templates: [NamedTemplate]) throws -> [(String, String)] {
        try templates.compactMap { named in
            try renderer.text(named.value).map { (named.name, $0) }
        }
    }

    private func fields(_ templates: [NamedTemplate]) throws -> [HTTPHeader] {
        try templates.compactMap { named in
            try renderer.text(named.value).map { HTTPHeader(named.name, $0) }
        }
    }

    private func signInQuery() throws -> [(String, String)] {
        guard case .query(let name, let value) = source.auth else { return [] }
        return [(name, try renderer.requiredText(value))]
    }

    private func signInHeaders() throws -> [HTTPHeader] {
        switch source.auth {
        // A dialect or an access token signs these, anew for every attempt.
        case .none, .query, .oauth2Client, .oauth2Refresh, .cloudkitServer, .cloudkitUser: return []
        case .basic(let user, let password):
            let pair = "\(try renderer.requiredText(user)):\(try renderer.requiredText(password))"
            return [HTTPHeader("Authorization", "Basic \(base64(Array(pair.utf8)))")]
        case .bearer(let token):
            return [HTTPHeader("Authorization", "Bearer \(try renderer.requiredText(token))")]
        case .header(let name, let value):
            return [HTTPHeader(name, try renderer.requiredText(value))]
        }
    }
}

/// RFC 4648 base64 with padding.
func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var output: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        var bits = 0
        for place in 0..<3 {
            bits = bits << 8 | (place < group.count ? Int(group[start + place]) : 0)
        }
        for place in 0..<4 {
            output.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : 61)
        }
    }
    return String(decoding: output, as: UTF8.self)
}
