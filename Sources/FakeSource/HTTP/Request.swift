/// A request, taken out of libmicrohttpd's hands.
struct Request {
    let number: Int
    let method: String
    let path: String
    let segments: [String]
    let queries: [(String, String)]
    let headers: [(String, String)]
    let body: [UInt8]
    /// What it asks of CloudKit, when it does.
    var cloud: CloudTrace?

    init(
        number: Int, method: String, path: String, queries: [(String, String)],
        headers: [(String, String)], body: [UInt8]
    ) {
        self.number = number
        self.method = method
        self.path = path
        self.queries = queries
        self.headers = headers
        self.body = body
        segments = path.split(separator: "/").map(String.init)
    }

    func query(_ name: String) -> String? { queries.first { $0.0 == name }?.1 }

    func header(_ name: String) -> String? {
        let lowercased = name.lowercased()
        return headers.first { $0.0.lowercased() == lowercased }?.1
    }

    /// The user the path or the credentials name, if any.
    var user: String? {
        if let cloud { return cloud.user }
        return switch segments.first {
        case "api": segments.count > 2 && segments[1] == "users" ? segments[2] : nil
        case "generic", "worker": segments.count > 1 ? segments[1] : nil
        default: nil
        }
    }

    /// What the log keeps of a request whose caller is to be looked at: `/generic/{user}/heard…`, and token endpoints.
    var heard: RequestLog.Heard? {
        let isLookedAt =
            segments.count > 2
            && (segments[0] == "generic" && segments[2] == "heard" || segments[0] == "oauth")
        guard isLookedAt else { return nil }
        return RequestLog.Heard(
            query: queries.map { "\($0.0)=\($0.1)" }.joined(separator: "&"),
            header: header("x-position"), body: String(decoding: body, as: UTF8.self))
    }

    /// A non-negative number of the query.
    func number(_ name: String) throws(BadRequest) -> Int? {
        guard let text = query(name) else { return nil }
        guard let number = Int(text), number >= 0 else { throw BadRequest("Invalid \(name)") }
        return number
    }

    func since() throws(BadRequest) -> Milliseconds? { try time("since") }

    func until() throws(BadRequest) -> Milliseconds? { try time("until") }

    private func time(_ name: String) throws(BadRequest) -> Milliseconds? {
        guard let text = query(name), !text.isEmpty else { return nil }
        guard let time = parseISO8601(text) else { throw BadRequest("Invalid \(name)") }
        return time
    }

    static let limitDefault = 50
    static let limitMax = 500

    func limit() throws(BadRequest) -> Int {
        guard let limit = try number("limit") else { return Request.limitDefault }
        guard limit > 0 else { throw BadRequest("Invalid limit") }
        return min(limit, Request.limitMax)
    }
}
