import Basics
import HTTP
import JSON
import JobFiles

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
        } else if !request.form.isEmpty {
            body = Array(try pairs(request.form).map(pair).joined(separator: "&").utf8)
            headers.append(HTTPHeader("Content-Type", "application/x-www-form-urlencoded"))
        }
        if !headers.contains(where: { $0.name.lowercased() == "accept" }) {
            headers.append(HTTPHeader("Accept", "application/json"))
        }
        return HTTPRequest(
            method: request.method, url: address(path, query), headers: headers, body: body)
    }

    /// The request for a whole address that a page named; what signs in is added, as it was never stored.
    func request(_ request: Request, to url: String) throws -> HTTPRequest {
        var bare = request
        bare.path = Template(pieces: [.literal("/")])
        bare.query = []
        var assembled = try self.request(bare)
        assembled.url = url
        let secret = request.query.filter {
            !$0.value.secretNames.isEmpty && !holds(parameter: $0.name, url)
        }
        for added in try signInQuery() + pairs(secret) { assembled.add(parameter: added) }
        return assembled
    }

    private func holds(parameter name: String, _ url: String) -> Bool {
        url.drop { $0 != "?" }.dropFirst().split(separator: "&").contains {
            $0.prefix { $0 != "=" } == percentEncode(queryValue: name)
        }
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
        case .none, .query, .oauth2Client, .oauth2Refresh, .oauth2Password, .oauth2JWT, .session,
            .cloudkitServer, .cloudkitUser:
            return []
        case .basic(let user, let password):
            let pair = "\(try renderer.requiredText(user)):\(try renderer.requiredText(password))"
            return [HTTPHeader("Authorization", "Basic \(Base64.encode(Array(pair.utf8)))")]
        case .bearer(let token):
            return [HTTPHeader("Authorization", "Bearer \(try renderer.requiredText(token))")]
        case .header(let name, let value):
            return [HTTPHeader(name, try renderer.requiredText(value))]
        }
    }
}

extension HTTPRequest {
    /// One more parameter in the query.
    mutating func add(parameter: (name: String, value: String)) {
        url += url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        url +=
            "\(percentEncode(queryValue: parameter.name))=\(percentEncode(queryValue: parameter.value))"
    }
}
