import JSON

/// One way in which a run can fail, and what the hostile source says then.
///
/// `ECHO` stands for all secrets that a job has shown it, in one of the forms that the redactor knows.
struct FailingPath: Sendable {
    enum Reply: Sendable {
        /// All header fields that a client may look at hold an echo, but for those given.
        case status(Int, String, [(String, String)] = [])
        /// In place of a whole reply, byte for byte.
        case raw(String)
        /// A fault of the source's (docs/FAKE_SOURCE.md), as members of JSON.
        case fault(String)
    }

    var name: String
    /// What pages, and pushes, are answered.
    var page: Reply
    /// What the token server and the login answer; nil: a token.
    var signIn: Reply?
    /// Where the tenant's sources are, for jobs that ask there; `PORT` is the hostile source's.
    var base: String?

    /// A record of it brings a secret, without which no run knows what an earlier one brought.
    var brings: Bool {
        guard case .status(200, let body, _) = page else { return false }
        return body.contains(Self.item) || body.contains(#""seq": 1, "updated_at""#)
    }

    private static let item = #"{"id": "1", "seq": 1}"#

    static let all =
        statuses + otherStatuses + redirects + bodies + values + positions + framing + packing
        + connections + signIns + cloud

    /// Nothing of a refused answer is data, whatever it holds.
    private static let refusals: [(Int, String)] =
        [
            (400, #"{"error": {"message": "ECHO"}}"#), (402, "ECHO"), (403, #"{"error": "ECHO"}"#),
            (404, "ECHO"),
            (405, "ECHO"), (406, #"{"message": "ECHO"}"#), (408, "ECHO"), (409, #"["ECHO"]"#),
            (410, "ECHO"),
            (412, "ECHO"), (413, "ECHO"), (414, "/?ECHO"), (415, "ECHO"),
            (421, #"{"redirectURL": "ECHO"}"#),
            (422, "ECHO"), (428, "ECHO"), (429, "ECHO"), (431, "ECHO"), (451, "ECHO"),
            (500, "ECHO"), (501, "ECHO"),
            (502, "<b>ECHO</b>"), (503, #"{"errors": ["ECHO"]}"#), (504, "ECHO"), (511, "ECHO"),
        ]
    private static let statuses = refusals.map {
        FailingPath(name: "status \($0.0)", page: .status($0.0, $0.1))
    }

    private static let otherStatuses: [FailingPath] = [
        FailingPath(name: "not modified, unasked", page: .status(304, "")),
        FailingPath(name: "too early", page: .status(425, "ECHO")),
        FailingPath(name: "still being made", page: .status(202, "ECHO")),
        FailingPath(name: "a refused credential", page: .status(401, "<p>ECHO</p>")),
        FailingPath(
            name: "patience until a day that is none",
            page: .status(429, "ECHO", [("Retry-After", "Wed, 99 ECHO 2026")])),
        FailingPath(
            name: "the source's own echo", page: .fault(#""kind": "echo", "status": 418"#)),
    ]

    private static let redirects: [FailingPath] = [
        FailingPath(name: "moved within", page: .status(301, "ECHO")),
        FailingPath(
            name: "moved to another host",
            page: .status(302, "", [("Location", "http://ECHO.example/ECHO")])),
        FailingPath(
            name: "moved to a file", page: .status(303, "", [("Location", "file:///ECHO")])),
        FailingPath(
            name: "moved with a name and a password",
            page: .status(307, "", [("Location", "http://ECHO:ECHO@a/")])),
        FailingPath(
            name: "moved nowhere", page: .raw("HTTP/1.1 308 ECHO\r\nContent-Length: 4\r\n\r\nECHO")),
    ]

    /// Answers that are no document, or another one than the file says.
    private static let bodies = texts([
        ("a text for the records", #"{"items": "ECHO"}"#),
        ("an error inside a good answer", #"{"error": "ECHO"}"#),
        ("a web page", "<b>ECHO</b>"), ("a text", #""ECHO""#),
        ("half a document", #"{"items": [{"id": "ECHO"#),
        ("more behind the document", #"{"items": []} ECHO"#),
        ("half a character", #"{"items": [{"id": "\ud800ECHO"}]}"#),
        ("a name twice", #"{"items": "ECHO", "items": "ECHO"}"#),
        ("records that are texts", #"{"items": ["ECHO"]}"#),
        ("a list in its own depth", String(repeating: "[", count: 2_000) + #""ECHO""#),
    ]) { FailingPath(name: $0, page: .status(200, $1)) }

    /// Records of which a value can't be what it should.
    private static let values = texts([
        ("a time that is none", #"{"id": "1", "seq": 1, "updated_at": "ECHO"}"#),
        ("a number that is none", #"{"id": "1", "seq": "ECHO"}"#),
        ("a number of another kind", #"{"id": "1", "seq": {"ECHO": "ECHO"}}"#),
        ("a number that fits nowhere", #"{"id": "1", "seq": 1e99, "name": "ECHO"}"#),
        ("a key that is none", #"{"id": null, "seq": 1, "name": "ECHO"}"#),
        ("a key of another kind", #"{"id": ["ECHO"], "seq": 1}"#),
    ]) {
        FailingPath(
            name: $0, page: .status(200, #"{"items": [\#($1)], "next": "ECHO", "more": false}"#)
        )
    }

    /// Positions that hold a secret, or are none.
    private static let positions = texts([
        ("a position that is a secret", #""ECHO""#),
        ("a position with one in it", #""?a=ECHO&page=2""#),
        ("a position of another kind", #"{"ECHO": "ECHO"}"#),
        ("a position that is a list", #"["ECHO"]"#),
        ("a position that is too long", #""\#(String(repeating: "x", count: 9_000))ECHO""#),
        ("a next page at another host", #""http://other.example/?ECHO""#),
        ("a next page with a password", #""http://ECHO:ECHO@127.0.0.1/""#),
        ("a next page in a file", #""file:///ECHO""#),
    ]) {
        FailingPath(
            name: $0,
            page: .status(200, #"{"items": [\#(item)], "next": \#($1), "more": true}"#))
    }

    /// Replies that are no HTTP, or whose length, packing or form is a lie.
    private static let framing = texts([
        ("a status that is none", "HTTP/1.1 ECHO\r\n\r\nECHO"),
        ("no reply at all", "ECHO\r\n\r\nECHO"),
        (
            "a header line that is none",
            "HTTP/1.1 200 OK\r\nECHO\r\nContent-Length: 4\r\n\r\nECHO"
        ),
        ("a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: ECHO\r\n\r\nECHO"),
        ("a length that is longer", "HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\nECHO"),
        (
            "two lengths",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 900\r\n\r\nECHO"
        ),
        (
            "a chunk of no size",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nECHO\r\nECHO"
        ),
        (
            "chunks without an end",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nECHO"
        ),
        ("a coding of no name", "HTTP/1.1 200 OK\r\nTransfer-Encoding: ECHO\r\n\r\nECHO"),
        (
            "a head that is too long",
            "HTTP/1.1 200 OK\r\n" + String(repeating: "X-E: ECHO\r\n", count: 2_000)
        ),
        ("early hints, and no more", "HTTP/1.1 103 Early Hints\r\nLink: <ECHO>\r\n\r\n"),
        (
            "a line that goes on",
            "HTTP/1.1 200 OK\r\nETag: \"a\r\n ECHO\"\r\nContent-Length: 4\r\n\r\nECHO"
        ),
    ]) { FailingPath(name: $0, page: .raw($1)) }

    private static let packing = texts(["gzip", "deflate", "br", "ECHO"].map { ($0, $0) }) {
        FailingPath(
            name: "packed by \($0), but not", page: .status(200, "ECHO", [("Content-Encoding", $1)])
        )
    }

    private static let connections: [FailingPath] = [
        FailingPath(name: "the connection ends", page: .fault(#""kind": "close""#)),
        FailingPath(name: "the connection is reset", page: .fault(#""kind": "reset""#)),
        FailingPath(name: "silence until time is over", page: .fault(#""kind": "hang""#)),
        FailingPath(
            name: "silence in the middle of a body",
            page: .fault(#""kind": "hang_after", "after": 20"#)),
        FailingPath(
            name: "a body drips until time is over",
            page: .fault(#""kind": "drip", "every_ms": 1000"#)),
        FailingPath(
            name: "no TLS where it should be", page: .status(200, "ECHO"),
            base: "https://127.0.0.1:PORT"),
        FailingPath(name: "nobody listens", page: .status(200, "ECHO"), base: "http://127.0.0.1:1"),
    ]

    /// Pages refuse the token of before, so that each run asks for another.
    private static let signIns = replies([
        ("refused", .status(400, #"{"error": "ECHO", "error_description": "ECHO"}"#)),
        ("forbidden", .status(403, "ECHO")), ("asked too often", .status(429, "ECHO")),
        ("in trouble", .status(500, "ECHO")), ("away", .status(503, "ECHO")),
        ("moved", .status(302, "ECHO")),
        ("a web page", .status(200, "<b>ECHO</b>")),
        ("without a token", .status(200, #"{"error": "ECHO"}"#)),
        (
            "with a token of another kind",
            .status(200, #"{"access_token": {"ECHO": 1}, "token": ["ECHO"]}"#)
        ),
        (
            "with a token of two lines",
            .status(200, #"{"access_token": "a\nECHO", "token": "a\nECHO"}"#)
        ),
        (
            "with a refresh token of another kind",
            .status(
                200,
                #"{"access_token": "ECHO", "refresh_token": {"ECHO": "ECHO"}, "token": {"ECHO": 1}}"#
            )
        ),
        ("packed by gzip, but not", .status(200, "ECHO", [("Content-Encoding", "gzip")])),
        ("no HTTP", .raw("ECHO\r\n\r\nECHO")),
        ("cut", .raw("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"access_token\": \"ECHO")),
        ("reset", .fault(#""kind": "reset""#)),
        ("telling what it was sent", .fault(#""kind": "echo""#)),
    ]) { FailingPath(name: "a sign-in \($0)", page: .status(401, "ECHO"), signIn: $1) }

    /// What a CloudKit service says inside a good answer, of pages and of pushes.
    private static let cloud = texts([
        (
            "a record refused",
            #"{"records": [{"recordName": "ours", "serverErrorCode": "ACCESS_DENIED", "reason": "ECHO"}]}"#
        ),
        (
            "a record in conflict",
            #"{"records": [{"recordName": "ours", "serverErrorCode": "CONFLICT", "reason": "ECHO", "serverRecord": "ECHO"}]}"#
        ),
        (
            "a request refused",
            #"{"serverErrorCode": "BAD_REQUEST", "reason": "ECHO", "uuid": "ECHO"}"#
        ),
        ("a code of no name", #"{"serverErrorCode": "ECHO", "reason": "ECHO"}"#),
        ("a marker that is a secret", #"{"records": [], "continuationMarker": "ECHO"}"#),
        (
            "a record of no name",
            #"{"records": [{"recordType": "ECHO", "fields": {"ECHO": {"value": "ECHO"}}}]}"#
        ),
    ]) { FailingPath(name: "CloudKit: \($0)", page: .status(200, $1)) }

    private static func texts(
        _ named: [(String, String)], _ path: (String, String) -> FailingPath
    ) -> [FailingPath] { named.map(path) }

    private static func replies(
        _ named: [(String, Reply)], _ path: (String, Reply) -> FailingPath
    ) -> [FailingPath] { named.map(path) }

    /// The reply as a fault of the source's; `echo` tells what is repeated, in a header field or in a body.
    static func fault(_ reply: Reply, echo: (_ inHeader: Bool) -> String) -> [JSONMember] {
        let inBody = String(JSONValue.string(echo(false)).text.dropFirst().dropLast())
        let inHeader = echo(true).replacing(" ", with: "_")
        switch reply {
        case .status(let status, let body, let given):
            var headers = fields(inHeader)
            for (name, value) in given { headers[name] = value.replacing("ECHO", with: inHeader) }
            return [
                JSONMember("kind", .string("status")), JSONMember("status", .integer(status)),
                JSONMember(
                    "headers", .object(headers.map { JSONMember($0.key, .string($0.value)) })),
                JSONMember("body", .string(body.replacing("ECHO", with: inBody))),
            ]
        case .raw(let text):
            return [
                JSONMember("kind", .string("raw")),
                JSONMember("body", .string(text.replacing("ECHO", with: inHeader))),
            ]
        case .fault(let members):
            guard
                case .object(let all)? = (try? JSONDocument(parsing: Array("{\(members)}".utf8)))?
                    .root.value
            else { return [] }
            return all
        }
    }

    private static func fields(_ echo: String) -> [String: String] {
        [
            "ETag": "\"\(echo)\"", "Last-Modified": echo,
            "Link": "</generic/ann/heard?x=\(echo)>; rel=\"next\"",
            "Location": "/generic/ann/moved?x=\(echo)", "Retry-After": echo,
            "Set-Cookie": "a=\(echo)",
            "Content-Type": "text/\(echo)", "WWW-Authenticate": "Bearer error=\"\(echo)\"",
            "Date": echo,
        ]
    }
}
