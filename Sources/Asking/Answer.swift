import Basics
public import HTTP
public import JSON
public import JobFiles
import JobQueue
public import Reading

/// An answer, and the address it came from.
public struct Answer: Sendable {
    private struct Values: Sendable {
        var response: HTTPResponse
        var url: String
        var failure: SourceFailure?
        var verdict: ErrorVerdict?
        /// The body, where somebody has read it already.
        var read: JSONDocument?
    }

    @Boxed private var values: Values

    init(_ response: HTTPResponse, to request: HTTPRequest, _ dialect: (any SourceDialect)?) {
        var values = Values(response: response, url: request.url)
        if let dialect {
            values.read = try? JSONDocument(parsing: response.body)
            values.failure = dialect.failure(in: response, values.read, to: request)
        }
        self.values = values
    }

    /// What came.
    public var response: HTTPResponse {
        _read { yield values.response }
        _modify { yield &values.response }
    }

    /// Where it came from.
    public var url: String { values.url }

    /// What a dialect says the answer failed with.
    public var failure: SourceFailure? { values.failure }

    /// What it means by the rules it was judged by; nil where none fits.
    public var verdict: ErrorVerdict? { values.verdict }

    /// Judges it by the rules of the entity that it is for.
    mutating func judge(by rules: ErrorRules, asksForPatience: Bool, nowUnixSeconds now: Int) {
        let status = response.status
        if values.read == nil, rules.readBody(ofStatus: status) {
            values.read = try? JSONDocument(parsing: response.body)
        }
        values.verdict = rules.verdict(
            status: status, values.read?.root, asksForPatience: asksForPatience, now: now)
    }

    /// What may be told of an answer of which nothing may be quoted: what kind of text it has, and how much.
    var form: String {
        let type = response.header("Content-Type").map { $0.prefix { $0 != ";" }.lowercased() }
        let isWord = type.map { 1...60 ~= $0.utf8.count && $0.utf8.allSatisfy(Self.isOfMediaType) }
        return [isWord == true ? type : nil, "\(response.body.count) bytes"].compactMap(\.self)
            .joined(separator: ", ")
    }

    /// RFC 6838, 4.2: letters, digits and a few signs.
    private static func isOfMediaType(_ byte: UInt8) -> Bool {
        0x61...0x7a ~= byte || 0x30...0x39 ~= byte || "/.+-".utf8.contains(byte)
    }

    /// What it is to a request for a list: a failure in a dialect's words is none.
    public func kind(for request: Request) -> AnswerKind {
        failure == nil
            ? AnswerKind(status: response.status, expected: request.expect) : .other
    }

    /// The source does not take the credential.
    var isRefusal: Bool {
        if let failure {
            if case .needsReauth = failure.end { return true }
            return false
        }
        // What a rule says of 403 is no matter of the credential.
        return [401, 421].contains(response.status) || response.status == 403 && verdict == nil
    }

    /// The body as JSON.
    ///
    /// Throws `RunEnd` malformed where it is none.
    public func document() throws -> JSONDocument {
        if let read = values.read { return read }
        guard !response.body.isEmpty else {
            throw RunEnd.failed(
                .malformed, "the answer has an empty body; an empty list is [] or status 204")
        }
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
