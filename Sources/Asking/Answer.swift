public import HTTP
public import JSON
import JobFiles
import JobQueue

/// An answer, and the address it came from.
public struct Answer: Sendable {
    /// What came.
    public var response: HTTPResponse
    /// Where it came from.
    public var url: String
    /// What a dialect says the answer failed with.
    public var failure: SourceFailure?
    /// The body, where a dialect has read it already.
    private var read: JSONDocument?

    init(_ response: HTTPResponse, from url: String, _ dialect: (any SourceDialect)?) {
        self.response = response
        self.url = url
        guard let dialect else { return }
        read = try? JSONDocument(parsing: response.body)
        failure = dialect.failure(in: response, read)
    }

    /// It is what was asked for: neither a failure in the source's words nor an unexpected status.
    public var isSuccess: Bool { failure == nil && (200..<300).contains(response.status) }

    /// The body as JSON.
    ///
    /// Throws `RunEnd` malformed where it is none.
    public func document() throws -> JSONDocument {
        if let read { return read }
        do {
            return try JSONDocument(parsing: response.body)
        } catch {
            throw RunEnd.failed(.malformed, "the page is not JSON: \(error)")
        }
    }
}

/// `GET /api/users/42/feed`: never the query, which may hold a sign-in.
func requestLabel(_ request: HTTPRequest) -> String {
    let bytes = request.url.utf8.prefix { $0 != UInt8(ascii: "?") }
    let rest = bytes.drop { $0 != UInt8(ascii: ":") }.dropFirst(3)
    let path = String(decoding: rest.drop { $0 != UInt8(ascii: "/") }, as: UTF8.self)
    return "\(request.method) \(path.isEmpty ? "/" : path)"
}
